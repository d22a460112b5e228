package provider

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// again is how what failed is done once more, and, where there is more to say, what that
// comes to. It is empty where the user has nothing to do again.
type again string

const (
	applyAgain again = "apply again"
	// runAgain is for what other commands do than an apply, or several of them: a plan, a
	// refresh, an import, a data source, a release.
	runAgain again = "run the command again"
	// planAgain is for what a plan tells without being an error.
	planAgain again = "plan again"
)

// then follows what to do first.
func (a again) then() string {
	if a == "" {
		return ""
	}

	return ", then " + string(a)
}

// sentence says it alone.
func (a again) sentence() string {
	if a == "" {
		return ""
	}

	return capitalized(string(a)) + "."
}

// advice is what the place that tells of a failure knows of what comes after it,
// whatever the reason was: how things stand, how it is done again, and what else there is
// to say. What to do first is added to it by the reason.
type advice struct {
	// became says how things stand, in whole sentences.
	became string
	again  again
	// remedies are those, by reason, which say more here than the general ones.
	remedies map[string]string
	// byID means that nothing but a machine's provider ID was asked for.
	byID bool
	// otherwise takes the place of where to look if it stays, when the reason has no remedy.
	otherwise string
	// timeouts means that the user sets how long it may take.
	timeouts bool
	// after are whole sentences that follow.
	after string
}

// withRemedy is the text of an error and, below it, what to do next.
func withRemedy(err error, a advice) string {
	return strings.TrimSuffix(machineops.Cause(err), ".") + ".\n\n" + a.on(err)
}

// on is the advice on an error.
func (a advice) on(err error) string {
	var parts []string

	for _, part := range []string{a.became, a.next(err), a.after} {
		if part != "" {
			parts = append(parts, part)
		}
	}

	return strings.Join(parts, " ")
}

// next says what to do about an error.
func (a advice) next(err error) string {
	if awaited := awaitedOperation(err); awaited != "" {
		return awaitedAdvice(awaited, a.again)
	}

	if interrupted(err) {
		return "The command was interrupted before an answer. Run it again."
	}

	if a.byID && wrongRegion(err) {
		return "Correct the provider ID (it is <region>.<instance-id>, with a region of Alibaba Cloud)" + a.again.then() + "."
	}

	reason := reasonOf(err)
	said, _ := machineops.Refused(err)

	if known := cmp.Or(a.remedies[reason], remedies(a.again, said != "")[reason], alicloudAnswerRemedy(said, a.again)); known != "" {
		return known
	}

	if other := (*otherAccountError)(nil); errors.As(err, &other) {
		return "Use credentials of the account " + other.recorded + "; what is not to be managed with these any more, take out of the state: terraform state rm ADDRESS."
	}

	if timedOut(err) {
		return a.afterTimeout()
	}

	stays := "If it stays, TF_LOG=DEBUG shows the calls and their answers."
	if said != "" {
		stays = "If it stays, look at the code and the request ID above."
	}

	return strings.TrimSpace(a.again.sentence() + " " + cmp.Or(a.otherwise, stays))
}

func (a advice) afterTimeout() string {
	text := strings.TrimSpace("There was no answer in time. " + a.again.sentence())
	if a.timeouts {
		text += " More time is given in the resource's timeouts argument."
	}

	return text
}

// ended reports whether a command ended before its answer.
func ended(err error) bool { return interrupted(err) || timedOut(err) }

func interrupted(err error) bool {
	return lifecycle.Interrupted(err) || driver.CodeOf(err) == driver.CodeCanceled || errors.Is(err, context.Canceled)
}

func timedOut(err error) bool {
	return driver.CodeOf(err) == driver.CodeDeadlineExceeded || errors.Is(err, context.DeadlineExceeded)
}
