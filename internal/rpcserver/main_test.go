package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

const (
	// envServe makes this test binary a provider: "serve", "debug", or "stock"
	// for the SDK's own way of serving.
	envServe = "RPCSERVER_TEST_SERVE"
	// envDirectory is where that provider leaves its files: "entered" when a
	// waiting create has begun, "ended" with the result of Serve.
	envDirectory = "RPCSERVER_TEST_DIRECTORY"
)

func TestMain(m *testing.M) {
	mode := os.Getenv(envServe)
	if mode == "" {
		os.Exit(m.Run())
	}
	if err := serveTiny(mode); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveTiny is the main function of the provider that the process tests start.
func serveTiny(mode string) error {
	tiny := &tinyProvider{entered: func() {
		if err := leave("entered", fmt.Sprint(os.Getpid())); err != nil {
			panic(err)
		}
	}}
	if mode == "stock" {
		return tf6server.Serve(tinyAddress, providerserver.NewProtocol6(tiny))
	}
	err := Serve(context.Background(), providerserver.NewProtocol6(tiny), Options{
		Address: tinyAddress, Debug: mode == "debug",
	})
	return errors.Join(err, leave("ended", fmt.Sprint(err)))
}

// leave writes a file that appears with its whole content.
func leave(name, content string) error {
	target := os.Getenv(envDirectory) + "/" + name
	if err := os.WriteFile(target+".new", []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(target+".new", target)
}
