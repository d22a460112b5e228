package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// leavesToNext reports whether a launch that cannot be followed is left to the next
// apply to find. What is stored of a create that fails is tainted, and replaced by the next
// apply, and a look that is refused may not cost a machine. One that a state holds already
// stays there.
func leavesToNext(request lifecycle.AllocateRequest, err error) bool {
	return request.Pending == nil && lifecycle.Blocked(err) != nil
}

// blockedDiagnostic tells of a launch that cannot be followed, because the caller is
// refused what that takes.
func blockedDiagnostic(request lifecycle.AllocateRequest, allocated lifecycle.Allocated, err error) diag.Diagnostic {
	name := request.Identity.Name

	machine := "What was launched"
	if len(allocated.Answered) > 0 {
		machine = "The machine " + strings.Join(allocated.Answered, ", ")
	}

	if !leavesToNext(request, err) {
		return diag.NewErrorDiagnostic(fmt.Sprintf("%q cannot be followed", name),
			withRemedy(err, advice{again: applyAgain, after: machine + " is kept in state as it is, and is waited for then."}))
	}

	return diag.NewErrorDiagnostic(fmt.Sprintf("%q was launched, and cannot be followed", name),
		withRemedy(err, advice{again: applyAgain, after: machine + " goes on booting and costs what it costs. It is not in state, so that it is not tainted: the next apply finds it by its tags and " +
			"takes it over, and destroying its machine_class releases it."}))
}
