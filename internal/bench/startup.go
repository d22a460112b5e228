package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// startups is how often the start is measured; the least counts, as all else that
// runs only ever adds to it.
const startups = 9

// handshake are the variables by which Terraform tells a provider who starts it.
func handshake() []string {
	return []string{
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		"PLUGIN_PROTOCOL_VERSIONS=6",
	}
}

// measureStartup measures the time from the start of a provider to its schema, which
// every command pays: the handshake and GetProviderSchema, as Terraform does both.
func measureStartup(ctx context.Context, l *laboratory, r *Report, _ Options) error {
	for name, installation := range map[string]*terraformcli.Installation{"startup_to_schema_ms": l.product, "idle_startup_to_schema_ms": l.reference} {
		binaries, err := filepath.Glob(filepath.Join(installation.MirrorDirectory, "*", "*", "*", "*", "*", "terraform-provider-*"))
		if err != nil || len(binaries) != 1 {
			return errors.Join(err, fmt.Errorf("there are %d providers in the mirror", len(binaries)))
		}

		var took []time.Duration

		for range startups {
			one, err := startToSchema(ctx, binaries[0])
			if err != nil {
				return err
			}

			took = append(took, one)
		}

		line := Line{Name: name, Value: float64(slices.Min(took).Microseconds()) / 1000, Unit: "ms"}
		if installation == l.product {
			line.Most = mostStartupMilliseconds
		}

		if err := r.Add(line); err != nil {
			return err
		}
	}

	return nil
}

// startToSchema starts a provider, asks for its schema and ends it.
func startToSchema(ctx context.Context, binary string) (took time.Duration, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	command := exec.CommandContext(ctx, binary)
	command.Env = environmentOf(append(handshake(), ModeVariable+"="+ModeIdle)...)

	output, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}

	began := time.Now()

	if err := command.Start(); err != nil {
		return 0, err
	}

	defer func() {
		cancel()
		// It was killed, and says so.
		_ = command.Wait()
	}()

	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("reading the handshake: %w", err)
	}

	// The fields are: core protocol, provider protocol, network, address, transport.
	fields := strings.Split(strings.TrimSpace(line), "|")
	if len(fields) < 5 || fields[4] != "grpc" {
		return 0, fmt.Errorf("the handshake was %q", line)
	}

	if err := askForSchema(ctx, fields[2], fields[3]); err != nil {
		return 0, fmt.Errorf("asking for the schema: %w", err)
	}

	return time.Since(began), nil
}

// askForSchema makes the call as gRPC does: HTTP/2 without TLS, and one empty
// message, which is a flag and a length of zero.
func askForSchema(ctx context.Context, network, address string) error {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)

	transport := &http.Transport{Protocols: protocols, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	defer transport.CloseIdleConnections()

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://provider/tfplugin6.Provider/GetProviderSchema", strings.NewReader("\x00\x00\x00\x00\x00"))
	if err != nil {
		return err
	}

	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("Te", "trailers")

	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()

	size, err := io.Copy(io.Discard, response.Body)

	switch status := response.Trailer.Get("Grpc-Status"); {
	case err != nil:
		return err
	case status != "0" || size < 1000:
		return fmt.Errorf("answered status %q and %d bytes", status, size)
	}

	return nil
}
