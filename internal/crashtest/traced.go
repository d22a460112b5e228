package crashtest

import (
	"context"
	"errors"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

const (
	// everyTraced is of how many points one keeps all that can be logged.
	everyTraced = 8
	traceFile   = "trace.log"
	planFile    = "saved.tfplan"
)

// traced reports whether the point keeps its log, and a plan, in which user data is
// looked for. Its name decides.
func (t *trial) traced() bool {
	return t.point.hash()>>8%everyTraced == 0
}

// planToFile keeps a plan of what the point ended with, where it is traced.
func (t *trial) planToFile(ctx context.Context) error {
	if !t.traced() {
		return nil
	}

	result, err := t.command(ctx, successorKey, step{t.scenario.victim.configuration, []string{"plan", "-out=" + planFile}})

	t.leaky = t.leaky || holdsSecret(result.Stdout+result.Stderr)

	var exit *terraformcli.ExitError
	if errors.As(err, &exit) {
		return nil // A plan that is refused has been judged where it mattered.
	}

	return err
}
