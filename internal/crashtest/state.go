package crashtest

import (
	"encoding/json"
	"fmt"
)

// savedState is what a state holds of this provider.
type savedState struct {
	// hasClass is whether the class was saved.
	hasClass bool
	// machines are the ids of instances, deposed objects included.
	machines []string
	// operations are the phases of the operations.
	operations []string
	// text is the whole of it, in which more may be named.
	text string
}

func readState(content []byte) (savedState, error) {
	saved := savedState{text: string(content)}
	if len(content) == 0 {
		return saved, nil
	}

	var state struct {
		Resources []struct {
			Type      string
			Instances []struct {
				Attributes struct {
					ProviderResourceID string `json:"provider_resource_id"`
					Phase              string
				}
			}
		}
	}
	if err := json.Unmarshal(content, &state); err != nil {
		return saved, fmt.Errorf("reading the state: %w", err)
	}

	for _, resource := range state.Resources {
		switch resource.Type {
		case "machine_class":
			saved.hasClass = saved.hasClass || len(resource.Instances) > 0
		case "machine_operation":
			for _, instance := range resource.Instances {
				saved.operations = append(saved.operations, instance.Attributes.Phase)
			}
		case "machine_allocation":
			for _, instance := range resource.Instances {
				saved.machines = append(saved.machines, instance.Attributes.ProviderResourceID)
			}
		}
	}

	return saved, nil
}
