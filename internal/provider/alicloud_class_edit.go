package provider

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// alicloudPlace has a class launch one machine under the address, where there is one.
func alicloudPlace(class *lifecycle.Class, address string) error {
	if address == "" {
		return nil
	}

	var content map[string]json.RawMessage
	if err := json.Unmarshal([]byte(class.ProviderConfig.Data[alicloudClassKey]), &content); err != nil {
		return fmt.Errorf("reading the class: %w", err)
	}

	quoted, err := json.Marshal(address)
	if err != nil {
		return fmt.Errorf("writing the address: %w", err)
	}

	content["private_ip"] = quoted

	text, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("writing the class: %w", err)
	}

	class.ProviderConfig.Data = map[string]string{alicloudClassKey: string(text)}

	return nil
}

// alicloudFollowed are the inputs of a class that a running machine follows in place.
func alicloudFollowed() []string {
	return []string{"security_group_ids", "key_pair_name", "ram_role_name"}
}

// alicloudEdit asks for what of the class has changed that a machine follows. What was
// not changed is left as the machine has it.
func alicloudEdit(before, after types.Object, request *driver.EditMachineRequest) {
	class := part(after.Attributes())

	for _, name := range alicloudChanged(before, after) {
		switch name {
		case "security_group_ids":
			request.SecurityGroupIDs = class.texts(name)
		case "key_pair_name":
			value := class.text(name)
			request.KeyPairName = &value
		case "ram_role_name":
			value := class.text(name)
			request.RoleName = &value
		}
	}
}

// alicloudChanged names the inputs that differ and that a machine follows. One that is
// not known yet may differ.
func alicloudChanged(before, after types.Object) []string {
	var changed []string

	for _, name := range alicloudFollowed() {
		was, errWas := keptValue(name, before.Attributes()[name])
		will, errWill := keptValue(name, after.Attributes()[name])

		if errWas != nil || errWill != nil || !reflect.DeepEqual(was, will) {
			changed = append(changed, name)
		}
	}

	return changed
}
