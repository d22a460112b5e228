package ecs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// newTransport returns the transport under all calls of a client. The SDK's own
// settings for proxies and connect timeouts do not reach it.
func newTransport() *http.Transport {
	const idleConnections = 32
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		MaxIdleConns:        idleConnections,
		MaxIdleConnsPerHost: idleConnections,
		IdleConnTimeout:     90 * time.Second,
	}
}

// NewTransport returns a transport for Config. Proxy is the URL of a proxy (http,
// https or socks5), with a login if it wants one; empty means what HTTP_PROXY,
// HTTPS_PROXY and NO_PROXY say. caFile holds certificates in PEM that are trusted
// beside the system's; empty means none. Errors do not show the login.
func NewTransport(proxy, caFile string) (*http.Transport, error) {
	transport := newTransport()
	if proxy != "" {
		address, err := url.Parse(proxy)
		if err != nil || address.Host == "" {
			return nil, errors.New("the proxy is malformed: it looks like http://proxy.example.com:3128")
		}
		switch address.Scheme {
		case "http", "https", "socks5", "socks5h":
		default:
			return nil, fmt.Errorf("the proxy's scheme %q is none of http, https and socks5", address.Scheme)
		}
		transport.Proxy = http.ProxyURL(address)
	}
	if caFile != "" {
		trusted, err := certificates(caFile)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	}
	return transport, nil
}

// certificates are the system's and those of the file.
func certificates(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file) //nolint:gosec // G304: the user names the file.
	if err != nil {
		return nil, fmt.Errorf("reading the certificates to trust: %w", err)
	}
	trusted, err := x509.SystemCertPool()
	if err != nil {
		// A system without a pool of its own trusts the file alone.
		trusted = x509.NewCertPool()
	}
	if !trusted.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", file)
	}
	return trusted, nil
}
