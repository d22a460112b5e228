package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

const (
	// clockFactor makes the emulator's clock, and with it machines that boot, this
	// many times faster.
	clockFactor = 20
	// ownerTag is the tag by which a machine tells whose it is.
	ownerTag = "terraform-machine/owner"
	running  = "Running"
)

// account is the cloud's side of the story: what the emulator has and was asked.
type account struct {
	server *ecsemulator.Server
	// existingID is the machine that the account has from the start.
	existingID string
	// before is how many calls came before this step.
	before int
}

func openAccount(ctx context.Context) (*account, error) {
	server, err := ecsemulator.Start(ctx, ecsemulator.Options{ClockFactor: clockFactor})
	if err != nil {
		return nil, err
	}

	existing, err := server.AddInstance(ecsemulator.NewInstance{
		Name: "made-by-hand", InstanceType: "ecs.g7.xlarge", VSwitchID: "vsw-a", SecurityGroups: []string{"sg-1"},
		AgeSeconds: (30 * 24 * time.Hour).Seconds(),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("giving the account a machine: %w", err), server.Close())
	}

	return &account{server: server, existingID: existing.ID}, nil
}

func (a *account) close() error { return a.server.Close() }

func (a *account) endpoint() string { return a.server.Endpoint() }

func (a *account) region() string { return ecsemulator.DefaultRegionID }

func (a *account) accessKeySecret() string { return ecsemulator.DefaultAccessKeySecret }

// environment is what a user would set to work with the emulator.
func (a *account) environment() map[string]string {
	variables := map[string]string{}

	for _, line := range a.server.Environment() {
		name, value, _ := strings.Cut(line, "=")
		variables[name] = value
	}

	return variables
}

// running returns the ids of the machines that run, sorted.
func (a *account) running() []string {
	var ids []string

	for _, machine := range a.server.Instances() {
		if machine.Status == running {
			ids = append(ids, machine.ID)
		}
	}

	slices.Sort(ids)

	return ids
}

func (a *account) describe() string {
	var machines []string
	for _, machine := range a.server.Instances() {
		machines = append(machines, machine.ID+" ("+machine.Status+")")
	}

	slices.Sort(machines)

	return strings.Join(machines, ", ")
}

// expectOnly wants exactly these machines, all running.
func (a *account) expectOnly(ids ...string) error {
	slices.Sort(ids)

	if got := a.running(); !slices.Equal(got, ids) || len(got) != len(a.server.Instances()) {
		return fmt.Errorf("the account should have %s running, it has %s", strings.Join(ids, ", "), a.describe())
	}

	return nil
}

// expectUnchanged wants exactly these machines, and no call in this step that
// launches, stops or releases one.
func (a *account) expectUnchanged(ids ...string) error {
	for _, action := range []string{
		"RunInstances", "StartInstance", "StopInstance", "RebootInstance", "DeleteInstance", "DeleteInstances",
	} {
		if count := a.calls()[action]; count > 0 {
			return fmt.Errorf("this step called %s %d times", action, count)
		}
	}

	return a.expectOnly(ids...)
}

// expectUserData wants that each of the machines was launched with the user data
// of this hash.
func (a *account) expectUserData(ids []string, sha256 string) error {
	for _, machine := range a.server.Instances() {
		if slices.Contains(ids, machine.ID) && machine.UserDataSHA256 != sha256 {
			return fmt.Errorf("%s was launched with other user data: %d bytes", machine.ID, machine.UserDataBytes)
		}
	}

	return nil
}

func (a *account) expectOwnerTag() error {
	for _, machine := range a.server.Instances() {
		if machine.ID == a.existingID && machine.Tags[ownerTag] == "" {
			return fmt.Errorf("%s does not carry the tag %s: %v", machine.ID, ownerTag, machine.Tags)
		}
	}

	return nil
}

// beginStep makes calls count from here.
func (a *account) beginStep() { a.before = len(a.server.Calls()) }

// calls counts the calls of this step by action.
func (a *account) calls() map[string]int {
	counts := map[string]int{}
	for _, call := range a.server.Calls()[a.before:] {
		counts[call.Action]++
	}

	return counts
}

// describeCalls says which calls this step took.
func (a *account) describeCalls() string {
	counts := a.calls()
	total := 0

	actions := make([]string, 0, len(counts))
	for _, action := range slices.Sorted(maps.Keys(counts)) {
		total += counts[action]
		actions = append(actions, fmt.Sprintf("%s %d", action, counts[action]))
	}

	switch total {
	case 0:
		return "no API call"
	case 1:
		return "1 API call: " + actions[0]
	default:
		return fmt.Sprintf("%d API calls: %s", total, strings.Join(actions, ", "))
	}
}

// callLog is the emulator's whole request log as text.
func (a *account) callLog() (string, error) {
	text, err := json.Marshal(a.server.Calls())
	if err != nil {
		return "", fmt.Errorf("reading the request log: %w", err)
	}

	return string(text), nil
}
