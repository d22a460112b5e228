package provider

import (
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// DefaultOperationTimeout is the default of an operation's timeouts.
const DefaultOperationTimeout = 20 * time.Minute

type operationModel struct {
	Name                    types.String   `tfsdk:"name"`
	ProviderID              types.String   `tfsdk:"provider_id"`
	Kind                    types.String   `tfsdk:"kind"`
	Parameters              types.Map      `tfsdk:"parameters"`
	Triggers                types.Map      `tfsdk:"triggers"`
	ReplaceUserDataWO       types.String   `tfsdk:"replace_user_data_wo"`
	ReplaceUserDataWOBase64 types.String   `tfsdk:"replace_user_data_wo_base64"`
	KeepUserData            types.Bool     `tfsdk:"keep_user_data"`
	Timeouts                timeouts.Value `tfsdk:"timeouts"`

	Phase       types.String `tfsdk:"phase"`
	Reason      types.String `tfsdk:"reason"`
	Message     types.String `tfsdk:"message"`
	StartedAt   types.String `tfsdk:"started_at"`
	CompletedAt types.String `tfsdk:"completed_at"`
	OperationID types.String `tfsdk:"operation_id"`
}

// kind is the operation's kind.
func (m operationModel) kind() v1alpha3.OperationKind {
	return v1alpha3.OperationKind(m.Kind.ValueString())
}

// parameters are those of the operation, as the registration takes them.
func (m operationModel) parameters() map[string]string {
	parameters := stringMap(m.Parameters)
	if m.KeepUserData.ValueBool() {
		parameters[v1alpha3.ParameterKeepUserData] = "true"
	}

	return parameters
}

// request is the operation as the lifecycle takes it; machine is the canonical form
// of its provider ID.
func (m operationModel) request(owner, machine string, effectParameters []string) lifecycle.OperateRequest {
	triggers := map[string]string{}
	for key, value := range stringMap(m.Triggers) {
		triggers["trigger/"+key] = value
	}

	parameters := m.parameters()
	for _, name := range effectParameters {
		if value, given := parameters[name]; given {
			triggers["parameter/"+name] = value
		}
	}

	return lifecycle.OperateRequest{
		Owner: owner, Name: m.Name.ValueString(), ProviderID: machine, Kind: m.kind(), Triggers: triggers, Parameters: parameters,
	}
}

// checked is the operation as far as a plan can check it. First-boot data that a plan
// does not show is left out.
func (m operationModel) checked(machine string) machineops.OperationRequest {
	return machineops.OperationRequest{
		ProviderID: machine, Operation: m.kind(), OperationName: m.Name.ValueString(), Parameters: m.parameters(),
	}
}

// sameEffect reports whether the parameters that say what is done are the same.
func (m operationModel) sameEffect(other operationModel, effectParameters []string) bool {
	before, after := stringMap(m.Parameters), stringMap(other.Parameters)

	for _, name := range effectParameters {
		if before[name] != after[name] {
			return false
		}
	}

	return true
}

// knowsEffect reports whether the parameters are known that say what is done.
func (m operationModel) knowsEffect(effectParameters []string) bool {
	if m.Parameters.IsUnknown() {
		return false
	}

	elements := m.Parameters.Elements()

	return !slices.ContainsFunc(effectParameters, func(name string) bool {
		value, given := elements[name]

		return given && value.IsUnknown()
	})
}

// computed are the fields that the operation itself fills.
func (m *operationModel) computed() []*types.String {
	return []*types.String{&m.Phase, &m.Reason, &m.Message, &m.StartedAt, &m.CompletedAt, &m.OperationID}
}

// takeOver copies what the operation itself filled.
func (m *operationModel) takeOver(state operationModel) {
	mine, others := m.computed(), state.computed()
	for i := range mine {
		*mine[i] = *others[i]
	}
}

// unknow makes everything unknown that going on with the operation may change.
func (m *operationModel) unknow() {
	for _, field := range m.computed() {
		*field = types.StringUnknown()
	}
}

// fill takes over what became of the operation. What it does not tell stays as it was
// in state.
func (m *operationModel) fill(state operationModel, outcome lifecycle.Outcome, now time.Time) {
	m.takeOver(state)

	m.Phase = types.StringValue(string(outcome.Phase))
	m.Reason = stringOrNull(outcome.Reason)
	m.Message = stringOrNull(outcome.Message)

	if pending := outcome.Pending; pending != nil {
		m.StartedAt = types.StringValue(pending.BeganAt.UTC().Format(time.RFC3339))
		m.OperationID = stringOrNull(pending.OperationID)
	}

	if outcome.Phase == v1alpha3.OperationPhaseComplete {
		m.Reason = types.StringNull()
		m.CompletedAt = types.StringValue(now.UTC().Format(time.RFC3339))
	}

	for _, field := range m.computed() {
		if field.IsUnknown() {
			*field = types.StringNull()
		}
	}
}
