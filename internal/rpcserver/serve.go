package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"k8s.io/utils/clock"
)

// ErrAbandoned is returned by Serve when the Terraform that started this process
// is gone without having told it to end (it was killed). Another run may already
// own what this one was working on, so nothing may be changed any more.
var ErrAbandoned = errors.New("the Terraform that started this provider is gone")

// Options say how to serve.
type Options struct {
	// Address is the provider's full address, such as
	// registry.terraform.io/hashicorp/random. Its last part names the variable
	// TF_LOG_PROVIDER_<TYPE>.
	Address string
	// Debug serves in a process that a developer started: Terraform is told by
	// TF_REATTACH_PROVIDERS, whose value is printed to stdout, and Ctrl-C ends it.
	Debug bool
}

// Serve serves what inner makes, wrapped as by Wrap, over plugin protocol 6. It
// blocks and returns nil when Terraform has told the process to end, ErrAbandoned
// when Terraform was killed, and ctx's error when ctx ends first. The caller
// should end the process then.
//
// Unless in Debug mode the process no longer reacts to SIGTERM, see
// IgnoreTermination. Log lines that Terraform would throw away are not made; the
// TF_LOG variables bring them back. To do so Serve sets variables of this
// process's environment, so it must be called before other goroutines read it.
func Serve(ctx context.Context, inner func() tfprotov6.ProviderServer, options Options) error {
	providerType, err := typeOfAddress(options.Address)
	if err != nil {
		return err
	}
	if err := quietUnreadLogs(providerType); err != nil {
		return err
	}

	running := &activity{}
	factory := wrap(inner, running)
	if options.Debug {
		return tf6server.Serve(options.Address, factory, tf6server.WithManagedDebug())
	}

	IgnoreTermination()
	// The plugin library takes os.Stderr away while it serves; its own lines and
	// the test of whether Terraform still reads both need the real one.
	logger := hclog.New(&hclog.LoggerOptions{
		Level:      shownLevel(os.Getenv),
		Output:     os.Stderr,
		JSONFormat: true,
	})
	served := make(chan error, 1)
	go func() {
		served <- tf6server.Serve(options.Address, factory, tf6server.WithGoPluginLogger(logger))
	}()

	watchCtx, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	watch := abandonment{clock: clock.RealClock{}, gone: logReaderGone, idle: running.idle}
	abandoned := make(chan error, 1)
	go func() { abandoned <- watch.wait(watchCtx) }()

	select {
	case err := <-served:
		return err
	case err := <-abandoned:
		return err
	}
}

// IgnoreTermination makes this process survive SIGTERM for the rest of its life.
// A service manager or a canceled job sends SIGTERM to a whole process group;
// Terraform then asks its providers to stop and waits for them, which it could
// not if they were already dead. Terraform still ends a provider through the
// plugin protocol, and kills it if that takes too long.
//
// The signal is caught rather than ignored, so that programs that this process
// starts do not inherit the deafness.
func IgnoreTermination() {
	// Sends to a full channel are dropped, so nobody has to receive.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM)
}

// typeOfAddress returns the last part of host/namespace/type.
func typeOfAddress(address string) (string, error) {
	parts := strings.Split(address, "/")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return "", fmt.Errorf("provider address %q is not of the form host/namespace/type", address)
	}
	return parts[2], nil
}
