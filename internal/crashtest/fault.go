package crashtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-machine/terraform-provider-machine/internal/safeguard"
)

// Fault is a safeguard that a provider leaves out, and the points by which that has to
// come out.
type Fault struct {
	Safeguard safeguard.Safeguard
	// Points are names of points, each of which has to show a leak, a twin, a theft or a
	// repeated effect.
	Points []string
}

// Faults are all faults that have to be seen.
func Faults() []Fault {
	return []Fault{
		// Nothing was saved, so the successor launches under another class uid.
		{safeguard.LastLook, []string{"create/remote+unlisted20/RunInstances/1/after/kill-all/apply"}},
		{safeguard.Window, []string{"forced-created-first/plain/RunInstances/1/late/kill-all/apply"}},
		{safeguard.ClassUID, []string{"create-beside-unsettled/plain/RunInstances/1/before/kill-all/apply"}},
		{safeguard.Leftovers, []string{"forced-created-first/plain/RunInstances/1/after/kill-all/apply"}},
		{safeguard.Replacing, []string{"forced-created-first/unlisted20/RunInstances/1/after/interrupt/apply"}},
		// The launch is answered with a machine that was released long ago.
		{safeguard.SeenFirst, []string{"create-again-accepted/plain/RunInstances/1/after/interrupt/apply"}},
		// The adoption of the machine that was to be replaced is in state beside it.
		{safeguard.Fence, []string{
			"tainted-created-first/unmarked/GetCallerIdentity/1/before/terminate/apply",
			"forced-created-first/unmarked/GetCallerIdentity/1/after/interrupt/apply",
		}},
		// What an operation was about to do is not known to the run after it.
		{safeguard.Intent, []string{
			"reboot/plain/RebootInstance/1/after/kill-all/apply",
			"replace-disk/plain/ReplaceSystemDisk/1/after/kill-all/apply",
		}},
	}
}

// sightings is how often a point is run to see a fault. What is seen at all is there;
// a busy machine may keep a call from coming when it should.
const sightings = 3

// SeeFaults runs the points of the faults in a laboratory whose provider was built with
// [FaultTag], so many at once, and tells what is seen. It returns an error for what is
// not.
func SeeFaults(ctx context.Context, laboratory *Laboratory, parallel int, output io.Writer) error {
	var (
		mu     sync.Mutex
		unseen []error
	)

	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(parallel, 1))

	for _, fault := range Faults() {
		for _, name := range fault.Points {
			group.Go(func() error {
				verdict, err := laboratory.without(fault.Safeguard).see(ctx, name)
				if err != nil {
					return fmt.Errorf("without %s: %w", fault.Safeguard, err)
				}

				mu.Lock()
				defer mu.Unlock()

				if verdict.harmless() {
					unseen = append(unseen, fmt.Errorf("the harness does not see that the provider lacks its safeguard %q: %s", fault.Safeguard, verdict))

					return nil
				}

				_, err = fmt.Fprintf(output, "without %s, as it has to be: %s\n", fault.Safeguard, verdict)

				return err
			})
		}
	}

	return errors.Join(append(unseen, group.Wait())...)
}

// without is the laboratory with a provider that leaves the safeguard out.
func (l *Laboratory) without(left safeguard.Safeguard) *Laboratory {
	other := *l

	other.variables = maps.Clone(l.variables)
	if other.variables == nil {
		other.variables = map[string]string{}
	}

	other.variables[FaultVariable] = string(left)

	return &other
}

// see runs the point until it does harm.
func (l *Laboratory) see(ctx context.Context, name string) (Verdict, error) {
	point, err := ParsePoint(name)
	if err != nil {
		return Verdict{}, err
	}

	var verdict Verdict

	for range sightings {
		if verdict, err = l.Run(ctx, point); err != nil || !verdict.harmless() {
			break
		}
	}

	return verdict, err
}

// harmless reports whether no machine leaked, doubled or was stolen, and nothing came twice.
func (v Verdict) harmless() bool {
	return len(v.Leaks)+len(v.Twins)+len(v.Thefts)+len(v.Repeated) == 0
}
