package alicloud

import (
	"errors"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// mistakes are what is wrong with a class, of which a user wants to be told all at once.
type mistakes struct{ found []error }

// take keeps a mistake and returns nil, so that the next thing is looked at. It returns
// what ends the looking: a call that failed, which fails for what is looked at next as
// well. What was found before is told with it where it is about the class, too.
func (m *mistakes) take(err error) error {
	var permanent *machineops.PermanentError
	if !errors.As(err, &permanent) || permanent.Reason != v1alpha3.ReasonInvalidConfiguration {
		return err
	}

	m.found = append(m.found, permanent.Err)

	var called *ecs.Error
	if errors.As(err, &called) {
		return m.err()
	}

	return nil
}

// add keeps a mistake.
func (m *mistakes) add(err error) { m.found = append(m.found, err) }

// err is what was found, a line each; nil where nothing was.
func (m *mistakes) err() error {
	if len(m.found) == 0 {
		return nil
	}

	return invalid(errors.Join(m.found...))
}
