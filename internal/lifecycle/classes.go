package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// mostClasses bounds how many resolutions are kept at a time.
	mostClasses = 128
	// resolveAttempts is how often one resolution is tried. It is few: nothing has
	// happened yet, and a person waits for the answer.
	resolveAttempts = 3
)

// Classes resolves machine classes and keeps each resolution for as long as its
// offerings are valid, for all allocations of the process. It is safe for
// concurrent use; callers that ask for one class at a time share one resolution.
type Classes struct {
	registration *machineops.Provider
	auth         func(context.Context) (*machineops.OperationAuth, error)
	clock        clock.Clock
	site         string

	mu sync.Mutex
	// resolved and resolving are keyed by the class's content: an edited class is
	// another.
	resolved  map[string]resolvedClass
	resolving map[string]*resolution
}

// resolvedClass is a resolution that is kept.
type resolvedClass struct {
	offerings []v1alpha3.MachineClassOffering
	// validUntil is when the first of the offerings ends.
	validUntil time.Time
}

// resolution is one under way. Its result may be read once done is closed.
type resolution struct {
	done      chan struct{}
	offerings []v1alpha3.MachineClassOffering
	err       error
	// abandoned is set where it ended with the context of the caller that resolved,
	// which says nothing to those who waited for it.
	abandoned bool
}

// NewClasses returns a resolver for the classes of a registration. Site is whose
// machines these are.
func NewClasses(
	registration *machineops.Provider,
	auth func(context.Context) (*machineops.OperationAuth, error),
	c clock.Clock,
	site string,
) *Classes {
	return &Classes{
		registration: registration,
		auth:         auth,
		clock:        c,
		site:         site,
		resolved:     map[string]resolvedClass{},
		resolving:    map[string]*resolution{},
	}
}

// Class is a machine class to resolve.
type Class struct {
	Name           string
	UID            string
	ProviderConfig machineops.ProviderConfig
	// ZonesInOrder has every machine try the zones in the order of the class; without
	// it they are spread by the machines' names.
	ZonesInOrder bool
}

// Resolve returns the offerings of the class, none of which is past its
// ValidUntil. An ordinary error of the registration is followed by a few more
// attempts; what then remains is returned, to all who were waiting for it, and not
// kept. It is an *UnfinishedError where the context ended first.
func (c *Classes) Resolve(ctx context.Context, class Class) ([]v1alpha3.MachineClassOffering, error) {
	key := class.key()

	for {
		if cause := ended(ctx); cause != nil {
			return nil, &UnfinishedError{Cause: cause}
		}

		offerings, running, leading := c.enter(key)
		if running == nil {
			return offerings, nil
		}

		if leading {
			c.lead(ctx, key, class, running)

			return slices.Clone(running.offerings), running.err
		}

		select {
		case <-running.done:
		case <-ctx.Done():
			return nil, &UnfinishedError{Cause: ended(ctx)}
		}

		if !running.abandoned {
			return slices.Clone(running.offerings), running.err
		}
	}
}

// enter returns what is known of the class, or the resolution to wait for, and
// whether it is the caller's to carry out.
func (c *Classes) enter(key string) ([]v1alpha3.MachineClassOffering, *resolution, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if known, ok := c.resolved[key]; ok && c.clock.Now().Before(known.validUntil) {
		return slices.Clone(known.offerings), nil, false
	}

	if running, ok := c.resolving[key]; ok {
		return nil, running, false
	}

	running := &resolution{done: make(chan struct{}), abandoned: true}
	c.resolving[key] = running

	return nil, running, true
}

// lead carries a resolution out, and lets those go who wait for it, even where the
// registration panics.
func (c *Classes) lead(ctx context.Context, key string, class Class, running *resolution) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()

		delete(c.resolving, key)

		if running.err == nil && len(running.offerings) > 0 {
			c.keep(key, running.offerings)
		}

		close(running.done)
	}()

	running.offerings, running.err = c.resolve(ctx, class)
	running.abandoned = ctx.Err() != nil && running.err != nil
}

// keep remembers a resolution, and forgets what is no longer valid. The caller
// holds the lock.
func (c *Classes) keep(key string, offerings []v1alpha3.MachineClassOffering) {
	now := c.clock.Now()
	maps.DeleteFunc(c.resolved, func(_ string, known resolvedClass) bool { return !now.Before(known.validUntil) })

	for len(c.resolved) >= mostClasses {
		delete(c.resolved, c.firstToEnd())
	}

	c.resolved[key] = resolvedClass{offerings: offerings, validUntil: earliest(offerings)}
}

func (c *Classes) firstToEnd() string {
	var first string

	for key, known := range c.resolved {
		if first == "" || known.validUntil.Before(c.resolved[first].validUntil) {
			first = key
		}
	}

	return first
}

func (c *Classes) resolve(ctx context.Context, class Class) ([]v1alpha3.MachineClassOffering, error) {
	for failures := 0; ; failures++ {
		offerings, err := c.ask(ctx, class)
		if err == nil || permanentError(err) != nil {
			return offerings, err
		}

		delay := retryDelay(failures)
		if failures+1 >= resolveAttempts {
			delay = 0
		}

		if cause := wait(ctx, c.clock, delay); cause != nil {
			return nil, unfinished(ctx, cause, err, "")
		}

		if failures+1 >= resolveAttempts {
			return nil, err
		}
	}
}

// ask asks the registration once.
func (c *Classes) ask(ctx context.Context, class Class) ([]v1alpha3.MachineClassOffering, error) {
	capacity, ok := c.registration.Capacity()
	if !ok {
		return nil, &machineops.PermanentError{
			Reason: v1alpha3.ReasonUnsupported,
			Err:    errors.New(c.registration.Name() + " does not allocate machines"),
		}
	}

	auth, err := c.auth(ctx)
	if err != nil {
		return nil, fmt.Errorf("obtaining credentials: %w", err)
	}

	resolution, err := capacity.ResolveClass(ctx, machineops.ClassRequest{
		ClassName:      class.Name,
		ClassUID:       types.UID(class.UID),
		SiteName:       c.site,
		ProviderConfig: class.ProviderConfig,
		Auth:           auth,
	})
	if err != nil {
		return nil, err
	}

	now := c.clock.Now()
	valid := slices.DeleteFunc(slices.Clone(resolution.Offerings), func(offering v1alpha3.MachineClassOffering) bool {
		return !now.Before(offering.ValidUntil.Time)
	})

	if len(valid) == 0 && len(resolution.Offerings) > 0 {
		return nil, fmt.Errorf("every offering of the class %q was past its time when it was resolved", class.Name)
	}

	return valid, nil
}

// key is a digest of all that the resolution depends on. The UID, which a class gets
// only when it is created, says nothing of what the class can get.
func (c Class) key() string {
	parts := []string{c.Name}
	for _, key := range slices.Sorted(maps.Keys(c.ProviderConfig.Data)) {
		parts = append(parts, key, c.ProviderConfig.Data[key])
	}

	return digest(parts...)
}

// earliest returns when the first of the offerings ends.
func earliest(offerings []v1alpha3.MachineClassOffering) time.Time {
	var first time.Time

	for _, offering := range offerings {
		if until := offering.ValidUntil.Time; first.IsZero() || until.Before(first) {
			first = until
		}
	}

	return first
}
