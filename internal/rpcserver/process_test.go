//go:build unix

package rpcserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"google.golang.org/grpc"
	"k8s.io/utils/clock"
)

// tinyProcess is a provider process started as Terraform starts one.
type tinyProcess struct {
	client     *plugin.Client
	connection *grpc.ClientConn
	stderr     *lockedBuffer
	directory  string
	pid        int
}

// startTiny starts this test binary as a provider with the given variables on
// top of an environment without any TF_ variable.
func startTiny(t testing.TB, mode string, variables ...string) *tinyProcess {
	t.Helper()
	p := &tinyProcess{stderr: &lockedBuffer{}, directory: t.TempDir()}
	command := exec.CommandContext(t.Context(), testBinary(t))
	command.Env = tinyEnvironment(mode, p.directory, variables...)
	p.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: plugin.HandshakeConfig{
			ProtocolVersion:  6,
			MagicCookieKey:   "TF_PLUGIN_MAGIC_COOKIE",
			MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		},
		VersionedPlugins: map[int]plugin.PluginSet{6: {"provider": &tf6server.GRPCProviderPlugin{}}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		SkipHostEnv:      true,
		Cmd:              command,
		Logger:           hclog.NewNullLogger(),
		Stderr:           p.stderr,
	})
	t.Cleanup(p.client.Kill)
	protocol, err := p.client.Client()
	if err != nil {
		t.Fatalf("starting the provider: %v\n%s", err, p.stderr)
	}
	p.connection = protocol.(*plugin.GRPCClient).Conn
	p.pid = command.Process.Pid
	return p
}

// create asks the provider for a tiny_thing.
func (p *tinyProcess) create(t testing.TB, value string) {
	t.Helper()
	if _, err := invoke(t.Context(), p.connection, "ApplyResourceChange", encodedCreate(t, value)); err != nil {
		t.Fatalf("creating a tiny_thing: %v\n%s", err, p.stderr)
	}
}

// end lets go-plugin end the process and returns the result of Serve, which only
// a process that was not killed leaves.
func (p *tinyProcess) end(t *testing.T) string {
	t.Helper()
	p.client.Kill()
	return readFile(t, filepath.Join(p.directory, "ended"))
}

func testBinary(t testing.TB) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

func tinyEnvironment(mode, directory string, variables ...string) []string {
	environment := []string{envServe + "=" + mode, envDirectory + "=" + directory}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") {
			environment = append(environment, variable)
		}
	}
	return append(environment, variables...)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// eventually waits until happened reports true.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	ticker := clock.RealClock{}.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !happened() {
		select {
		case <-ctx.Done():
			t.Fatalf("it never happened that %s", what)
		case <-ticker.C():
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func TestSIGTERMDoesNotEndTheProviderAndShutdownDoes(t *testing.T) {
	t.Parallel()
	p := startTiny(t, "serve")
	for range 3 {
		if err := syscall.Kill(p.pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	p.create(t, "fine")
	if p.client.Exited() {
		t.Fatal("SIGTERM ended the provider")
	}
	if got := p.end(t); got != "<nil>" {
		t.Errorf("Serve returned %s", got)
	}
	eventually(t, "the process ended", p.client.Exited)
}

func TestSIGTERMEndsAStockProvider(t *testing.T) {
	t.Parallel()
	p := startTiny(t, "stock")
	if err := syscall.Kill(p.pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "SIGTERM ended a provider that does not ignore it", p.client.Exited)
}

func TestStopProviderCancelsOverTheWire(t *testing.T) {
	t.Parallel()
	p := startTiny(t, "serve")
	finished := make(chan []byte, 1)
	go func() {
		response, err := invoke(t.Context(), p.connection, "ApplyResourceChange", encodedCreate(t, "wait"))
		if err != nil {
			t.Error(err)
		}
		finished <- response
	}()
	eventually(t, "the create began", func() bool { return exists(filepath.Join(p.directory, "entered")) })
	if _, err := invoke(t.Context(), p.connection, "StopProvider", nil); err != nil {
		t.Fatal(err)
	}
	if response := <-finished; !bytes.Contains(response, []byte(waitCanceled)) {
		t.Errorf("the answer %q does not say that the create was canceled", response)
	}
	if got := p.end(t); got != "<nil>" {
		t.Errorf("Serve returned %s", got)
	}
}

func TestAProviderWhoseTerraformWasKilledEnds(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	command := exec.CommandContext(t.Context(), testBinary(t))
	command.Env = tinyEnvironment("serve", directory,
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		"PLUGIN_PROTOCOL_VERSIONS=6")
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	handshake := make([]byte, 4096)
	n, err := stdout.Read(handshake)
	if err != nil || !strings.HasPrefix(string(handshake[:n]), "1|6|unix|") {
		t.Fatalf("the handshake is %q, %v", handshake[:n], err)
	}
	// What the kernel does for a killed Terraform.
	if err := errors.Join(stdout.Close(), stderr.Close()); err != nil {
		t.Fatal(err)
	}
	ended := filepath.Join(directory, "ended")
	eventually(t, "the provider ended", func() bool { return exists(ended) })
	var exit *exec.ExitError
	if err := command.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := readFile(t, ended); got != ErrAbandoned.Error() {
		t.Errorf("Serve returned %q, want %q", got, ErrAbandoned)
	}
}

func TestReaderGoneTellsAClosedPipe(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	descriptor := int32(writer.Fd())
	if readerGone(descriptor) {
		t.Error("an open pipe counts as abandoned")
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	if !readerGone(descriptor) {
		t.Error("a pipe without a reader does not count as abandoned")
	}

	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if readerGone(int32(file.Fd())) {
		t.Error("a log that goes to a file counts as abandoned")
	}
}

// BenchmarkRPC is one create over the wire, as the SDK serves by itself and as
// Serve does.
func BenchmarkRPC(b *testing.B) {
	for _, mode := range []string{"stock", "serve"} {
		b.Run(mode, func(b *testing.B) {
			p := startTiny(b, mode)
			for b.Loop() {
				p.create(b, "fine")
			}
		})
	}
}

// lockedBuffer is a buffer that one goroutine writes while another reads.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

var _ io.Writer = (*lockedBuffer)(nil)

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
