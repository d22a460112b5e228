package ecs_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestAProxyCarriesEveryCall(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{})
	var carried atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") == "" {
			t.Error("without the login")
		}
		carried.Add(1)
		(&httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}}).ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	transport, err := ecs.NewTransport(strings.Replace(proxy.URL, "http://", "http://user:word@", 1), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	client := connect(t, server, func(config *ecs.Config) { config.Transport = transport })
	if _, err := client.Zones(bounded(t), ""); err != nil {
		t.Error(err)
	}
	if _, err := client.CallerIdentity(bounded(t)); err != nil {
		t.Error(err)
	}
	if carried.Load() != 2 {
		t.Errorf("the proxy carried %d calls", carried.Load())
	}
}

func TestCertificatesOfAFileAreTrusted(t *testing.T) {
	t.Parallel()
	server := start(t, ecsemulator.Options{TLS: true})
	for name, test := range map[string]struct {
		file    string
		trusted bool
	}{"with the file": {server.CAFile(), true}, "without": {"", false}} {
		transport, err := ecs.NewTransport("", test.file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(transport.CloseIdleConnections)
		client := connect(t, server, func(config *ecs.Config) { config.Transport, config.Protocol = transport, "https" })
		if _, err := client.Zones(bounded(t), ""); (err == nil) != test.trusted {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATransportThatCannotBeIsRefusedWithoutItsLogin(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ proxy, file, want string }{
		"no address":     {"user:hidden-word", "", "the proxy is malformed"},
		"unreadable":     {"http://user:hidden-word@host:port", "", "the proxy is malformed"},
		"another scheme": {"ftp://user:hidden-word@host", "", `scheme "ftp"`},
		"no file":        {"", "/nowhere/ca.pem", "/nowhere/ca.pem"},
		"no certificate": {"", empty, "holds no certificate"},
	} {
		_, err := ecs.NewTransport(test.proxy, test.file)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hidden-word") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
