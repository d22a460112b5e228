package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// examinePatience bounds each look of a plan at what an operation needs.
const examinePatience = 30 * time.Second

// examine looks at the machine, and says why the operation can never be carried out on
// it, or finds that there is none. A look that fails is told: whoever carries the
// operation out looks again before the machine is touched.
func (r *operationResource) examine(ctx context.Context, s search, machine string, found *findings) (*driver.ObservedMachine, error) {
	plan := s.plan
	observed, err := r.client.examined(ctx, s.looks, machine)

	switch {
	case driver.CodeOf(err) == driver.CodeNotFound:
		found.wrong.AddAttributeError(path.Root("provider_id"), "No such machine",
			fmt.Sprintf("%s, which is the one that was searched.\n\n%s", strings.TrimSuffix(err.Error(), "."), r.notFoundRemedy(plan.ProviderID.ValueString())))

		// What else is wrong is told with it, as far as it does not depend on the machine.
		observed = &driver.ObservedMachine{Region: regionOf(machine)}
	case err != nil:
		found.failed("Machine could not be looked at", s, machine, err)

		return nil, nil
	}

	if !plan.decided() {
		return observed, nil
	}

	request := plan.checked(machine)
	request.Auth = r.client.auth

	// What is needed beside the machine is the same for all of the same parameters.
	needed := fmt.Sprintf("%s needs of %s: %s %v", plan.kind(), observed.Region, observed.InstanceType, request.Parameters)

	err = s.looks.once(ctx, needed, func(ctx context.Context) error { return r.client.cloud.ExamineOperation(ctx, request, observed) })

	var wrong *machineops.PermanentError

	switch {
	case errors.As(err, &wrong) && wrong.Reason == v1alpha3.ReasonInvalidConfiguration:
		return observed, wrong.Err
	case err != nil:
		found.failed("What an operation needs could not be looked at", s, machine, err)
	}

	return observed, nil
}

// examined returns the machine as a plan sees it: as the shared list shows it, or, where
// that does not, by a look at it. What fails for one machine, and not because of who may
// look at it, is not tried for the next ones of the region.
func (c *client) examined(ctx context.Context, looks *planLooks, machine string) (*driver.ObservedMachine, error) {
	var listed map[string]*driver.ObservedMachine

	region := regionOf(machine)

	err := looks.once(ctx, "list of "+region, func(ctx context.Context) (err error) {
		listed, err = c.listings.since(ctx, region, c.snapshot())

		return err
	})

	switch {
	case err == nil && listed[machine] != nil:
		return listed[machine], nil
	case err != nil && driver.CodeOf(err) != driver.CodePermissionDenied:
		return nil, err
	}

	var observed *driver.ObservedMachine

	err = looks.try(ctx, "look in "+region, func(ctx context.Context) (err error) {
		observed, err = c.observe(ctx, machine)

		return err
	})

	return observed, err
}

// failed tells of a look that failed: as what is wrong, where no repeat can help, and
// else as what the apply tries again. That the command was interrupted is not told.
func (f *findings) failed(summary string, s search, machine string, err error) {
	switch {
	case interrupted(err):
		return
	case wrongRegion(err):
		f.wrong.AddAttributeError(path.Root("provider_id"), "Cannot look at "+machine, withRemedy(err, advice{again: runAgain, byID: true}))

		return
	case wrongCredentials(err):
		f.refused.AddError("Cannot look at "+machine, withRemedy(err, advice{again: runAgain}))

		return
	case driver.CodeOf(err) == driver.CodeUnknown && errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("there was no answer within %s", examinePatience)
	}

	f.unseen.AddAttributeWarning(path.Root("provider_id"), summary,
		fmt.Sprintf("What %s meets on %s could not be seen: ", s.plan.what(), machine)+withRemedy(err, s.unseen))
}

// wrongCredentials reports whether a look failed of credentials that there are not, or
// that are refused.
func wrongCredentials(err error) bool {
	reason := reasonOf(err)

	return reason == v1alpha3.ReasonCredentialsMissing || reason == v1alpha3.ReasonCredentialsRefused
}

// what names the operation in a sentence, as far as it is known.
func (m operationModel) what() string {
	if m.Kind.IsUnknown() || m.Name.IsUnknown() {
		return "the operation"
	}

	return fmt.Sprintf("%s %q", m.Kind.ValueString(), m.Name.ValueString())
}

// planLooks are the looks that the operations of a plan share. One that failed is not
// repeated by each of them: a plan of many lasts as long as that of one. It is safe for
// concurrent use, and the zero value is ready to use.
type planLooks struct {
	mu    sync.Mutex
	looks map[string]*planLook
}

// planLook is one of them. Who holds the turn looks.
type planLook struct {
	turn chan struct{}

	mu     sync.Mutex
	failed error
}

// once looks unless that has failed before; others who want the same wait meanwhile.
func (p *planLooks) once(ctx context.Context, what string, look func(context.Context) error) error {
	one := p.of(what)

	select {
	case one.turn <- struct{}{}:
		defer func() { <-one.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}

	return one.look(ctx, look, func(error) bool { return true })
}

// try looks unless that has failed before, be others at it or not. What is refused, or
// wrong, or not there is so for what was looked at alone.
func (p *planLooks) try(ctx context.Context, what string, look func(context.Context) error) error {
	return p.of(what).look(ctx, look, func(err error) bool {
		reason := reasonOf(err)

		return driver.CodeOf(err) != driver.CodeNotFound && reason != v1alpha3.ReasonPermissionDenied && reason != v1alpha3.ReasonInvalidConfiguration
	})
}

func (p *planLooks) of(what string) *planLook {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.looks == nil {
		p.looks = map[string]*planLook{}
	}

	if p.looks[what] == nil {
		p.looks[what] = &planLook{turn: make(chan struct{}, 1)}
	}

	return p.looks[what]
}

// look looks unless that has failed for all, which lasts tells of an error. That the
// command was interrupted tells nothing.
func (l *planLook) look(ctx context.Context, look func(context.Context) error, lasts func(error) bool) error {
	if err := l.failure(); err != nil {
		return err
	}

	patient, cancel := context.WithTimeout(ctx, examinePatience)
	defer cancel()

	err := look(patient)
	if err == nil || ctx.Err() != nil || !lasts(err) {
		return err
	}

	l.mu.Lock()
	defer l.mu.Unlock()

	// Whoever looked at the same time tells the same.
	if l.failed == nil {
		l.failed = err
	}

	return l.failed
}

func (l *planLook) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.failed
}
