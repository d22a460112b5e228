package alicloud

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver/v1alpha1"
)

const (
	// machineStatePrefix tells a LastKnownState of this driver from the texts that
	// other drivers of this cloud write.
	machineStatePrefix  = ProviderAlicloud + " "
	machineStateVersion = 1
)

// machineState is what a response's LastKnownState says to the next request. It
// holds no secret.
type machineState struct {
	Version int `json:"v"`
	// Attempt counts the launches of the machine that ECS refused for good. A token
	// may be used up by a refusal, so each attempt has its own.
	Attempt int `json:"attempt,omitempty"`
	// ProviderID is the machine that was launched.
	ProviderID string `json:"provider_id,omitempty"`
}

func (s machineState) encode() (string, error) {
	s.Version = machineStateVersion

	text, err := json.Marshal(s)
	if err != nil {
		return "", driver.NewError(driver.CodeInternal, "encoding the last known state: %w", err)
	}

	return machineStatePrefix + string(text), nil
}

// decodeMachineState reads what an earlier response left with the machine, and the
// provider ID that its controller recorded, which counts more. A text of another
// driver says nothing.
func decodeMachineState(machine *v1alpha1.Machine) (machineState, error) {
	var state machineState

	if text, ours := strings.CutPrefix(machine.Status.LastKnownState, machineStatePrefix); ours {
		err := json.Unmarshal([]byte(text), &state)

		switch {
		case err != nil:
		case state.Version != machineStateVersion:
			err = fmt.Errorf("it has version %d, and this driver reads version %d", state.Version, machineStateVersion)
		case state.Attempt < 0:
			err = fmt.Errorf("%d is no count of attempts", state.Attempt)
		}

		if err != nil {
			return machineState{}, driver.NewError(driver.CodeInvalidArgument, "machine %s: reading its last known state: %w", machine.Name, err)
		}
	}

	if machine.Spec.ProviderID != "" {
		state.ProviderID = machine.Spec.ProviderID
	}

	return state, nil
}
