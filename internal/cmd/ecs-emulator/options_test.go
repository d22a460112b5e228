package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// comment finds what a line of the announcement says: "# name: value".
func (r running) comment(name string) string {
	_, after, _ := strings.Cut(r.text, "# "+name+":")
	value, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(value)
}

func TestCommandTakesRules(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rules.json")
	if err := os.WriteFile(path, []byte(`[{"id": "slow", "kind": "delay", "seconds": 1}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := startCommand(t, "--clock-factor", "2", "--rules", path)
	control := ecsemulator.ControlClient{URL: r.comment("control API")}
	rules, err := control.RulesInForce(t.Context())
	if err != nil || len(rules) != 1 || rules[0].ID != "slow" {
		t.Errorf("in force %+v: %v", rules, err)
	}
	if err := r.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestCommandSpeaksHTTPSAndTellsTheAuthority(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ca.pem")
	r := startCommand(t, "--clock-factor", "2", "--tls", "--ca-file", path)
	if got := r.comment("CA certificate"); got != path || r.lines["SSL_CERT_FILE"] != path || r.lines["TF_MACHINE_PROTOCOL"] != "https" {
		t.Errorf("authority %q, printed %v", got, r.lines)
	}
	encoded, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(encoded)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.comment("ECS, VPC and STS API"), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	client.CloseIdleConnections()
	if err := r.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestCommandKeepsItsState(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	id := ""
	for n := range 2 {
		r := startCommand(t, "--clock-factor", "2", "--state", path, "--metadata", "127.0.0.1:0")
		control := ecsemulator.ControlClient{URL: r.comment("control API")}
		if n == 0 {
			added, err := control.AddInstance(t.Context(), ecsemulator.NewInstance{Name: "kept"})
			if err != nil {
				t.Fatal(err)
			}
			id = added.ID
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.comment("instance metadata")+"/latest/meta-data/instance-id", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, 64)
		length, _ := response.Body.Read(body)
		_ = response.Body.Close()
		if got := string(body[:length]); got != id {
			t.Errorf("run %d: %q, want %s", n+1, got, id)
		}
		if err := r.stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	}
}

func TestCommandRefusesFilesThatItCannotUse(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"planets": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, arguments := range map[string][]string{
		"no such rules":            {"--rules", broken + ".none"},
		"broken rules":             {"--rules", broken},
		"broken state":             {"--state", broken},
		"authority without TLS":    {"--ca-file", broken},
		"no such metadata address": {"--metadata", "nowhere:x"},
	} {
		log := &strings.Builder{}
		if err := run(t.Context(), append(arguments, "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", "--quiet"), log, log); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
