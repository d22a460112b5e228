package acctest

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Cloud is an emulated cloud that one test has for itself.
type Cloud struct {
	*ecsemulator.Server

	log *lockedBuffer
}

// Start starts a cloud that ends with the test. Its clock runs at ClockFactor, and
// it keeps its log; both override what options say.
func Start(t testing.TB, options ecsemulator.Options) *Cloud {
	t.Helper()

	log := &lockedBuffer{}
	options.ClockFactor = ClockFactor

	// The provider in this process follows one clock for all clouds; a provider in a
	// process of its own is told the cloud's by Variables.
	if text, set := os.LookupEnv(clockOriginVariable); set {
		origin, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatalf("%s: %v", clockOriginVariable, err)
		}

		options.ClockOrigin = origin
	}

	options.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))

	server, err := ecsemulator.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})

	return &Cloud{Server: server, log: log}
}

// Log is what the cloud has logged so far.
func (c *Cloud) Log() string { return c.log.String() }

// Variables are the environment that points a command at the cloud.
func (c *Cloud) Variables() map[string]string {
	variables := map[string]string{}

	for _, line := range c.Environment() {
		name, value, _ := strings.Cut(line, "=")
		variables[name] = value
	}

	return variables
}

// Rule puts a rule in force.
func (c *Cloud) Rule(t testing.TB, rule ecsemulator.Rule) ecsemulator.Rule {
	t.Helper()

	added, err := c.AddRule(rule)
	if err != nil {
		t.Fatal(err)
	}

	return added
}

// Existing gives the account a machine that nobody launched.
func (c *Cloud) Existing(t testing.TB, machine ecsemulator.NewInstance) ecsemulator.Instance {
	t.Helper()

	added, err := c.AddInstance(machine)
	if err != nil {
		t.Fatal(err)
	}

	return added
}

// Alive lists what runs or will run: all that is not being released.
func (c *Cloud) Alive() []ecsemulator.Instance {
	var alive []ecsemulator.Instance

	for _, instance := range c.Instances() {
		if !instance.Releasing {
			alive = append(alive, instance)
		}
	}

	return alive
}

// Created counts the machines that were ever launched.
func (c *Cloud) Created() int {
	created := 0

	for _, effect := range c.Journal() {
		if effect.Effect == "created" {
			created++
		}
	}

	return created
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

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
