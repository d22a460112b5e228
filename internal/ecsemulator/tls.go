package ecsemulator

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// certificateLifetime is how long the certificates are good. They live no longer than the server does.
const certificateLifetime = 30 * 24 * time.Hour

// secure makes an authority and a certificate of it for the listener's address, writes the authority's certificate to the CA file and
// wraps the listener. The authority's key is never written, so that nothing else can ever be signed by it. The listener is closed if
// there is an error.
func (s *Server) secure(listener net.Listener) (net.Listener, error) {
	certificate, authority, err := makeCertificates(listener.Addr(), time.Now())
	if err == nil {
		err = s.writeCA(authority)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("tls: %w", err), listener.Close())
	}
	return tls.NewListener(listener, &tls.Config{
		Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	}), nil
}

func makeCertificates(address net.Addr, now time.Time) (tls.Certificate, []byte, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "ECS emulator authority"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateLifetime), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, MaxPathLenZero: true,
	}
	authority, err := x509.CreateCertificate(rand.Reader, template, template, &authorityKey.PublicKey, authorityKey)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano() + 1), Subject: pkix.Name{CommonName: "ECS emulator"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateLifetime), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if tcp, ok := address.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() && !tcp.IP.IsLoopback() {
		leaf.IPAddresses = append(leaf.IPAddresses, tcp.IP)
	}
	signed, err := x509.CreateCertificate(rand.Reader, leaf, template, &key.PublicKey, authorityKey)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	return tls.Certificate{Certificate: [][]byte{signed, authority}, PrivateKey: key}, authority, nil
}

func (s *Server) writeCA(authority []byte) error {
	encoded := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority})
	if s.options.CAFile != "" {
		s.caFile = s.options.CAFile
		return os.WriteFile(s.caFile, encoded, 0o600)
	}
	file, err := os.CreateTemp("", "ecs-emulator-ca-*.pem")
	if err != nil {
		return err
	}
	s.caFile = file.Name()
	_, err = file.Write(encoded)
	return errors.Join(err, file.Close())
}

// removeCA removes the CA file if the server chose its place.
func (s *Server) removeCA() error {
	if s.caFile == "" || s.options.CAFile != "" {
		return nil
	}
	return os.Remove(s.caFile)
}

// CAFile is the path of the certificate, in PEM, that clients must trust to speak HTTPS to the server; empty without Options.TLS.
func (s *Server) CAFile() string { return s.caFile }
