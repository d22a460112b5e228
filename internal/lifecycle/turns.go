package lifecycle

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// turns lets one operation at a time at each machine, in the order of asking. The
// zero value is ready to use.
type turns struct {
	mu sync.Mutex
	// queues holds, for each machine with an operation, one place per operation, of which
	// the first has the turn.
	queues map[string][]*place
}

// place is that of an operation in the queue of its machine.
type place struct {
	operation types.UID
	// come is closed when its turn has come. Only who has the turn replaces it.
	come chan struct{}
}

// take waits until every older operation on the machine has ended, and returns the
// operation's place, which leave ends. While it waits it holds nothing but that place,
// which it gives up when the context ends; the error says why it did.
func (t *turns) take(ctx context.Context, machine string, operation types.UID) (*place, error) {
	if machine == "" {
		return nil, nil //nolint:nilnil // There is no queue to stand in.
	}

	taken := t.enter(machine, operation)

	return taken, t.await(ctx, machine, taken)
}

func (t *turns) await(ctx context.Context, machine string, taken *place) error {
	select {
	case <-taken.come:
		return nil
	case <-ctx.Done():
		t.leave(machine, taken)

		return ended(ctx)
	}
}

// letAhead gives the turn to the operation that is meant, if it waits behind who has the
// turn, and takes it again after that. It reports whether there was one; the error is that
// of a context which has ended, with which the place is given up.
func (t *turns) letAhead(ctx context.Context, machine string, taken *place, meant func(types.UID) bool) (bool, error) {
	if taken == nil || meant == nil || !t.swap(machine, taken, meant) {
		return false, nil
	}

	return true, t.await(ctx, machine, taken)
}

func (t *turns) swap(machine string, taken *place, meant func(types.UID) bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	queue := t.queues[machine]

	at := slices.IndexFunc(queue, func(other *place) bool { return other != taken && meant(other.operation) })
	if at < 0 || queue[0] != taken {
		return false
	}

	ahead := queue[at]
	t.queues[machine] = slices.Insert(slices.Delete(queue, at, at+1), 0, ahead)
	taken.come = make(chan struct{})

	close(ahead.come)

	return true
}

// busy reports whether an operation on the machine is under way.
func (t *turns) busy(machine string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	return len(t.queues[machine]) > 0
}

func (t *turns) enter(machine string, operation types.UID) *place {
	t.mu.Lock()
	defer t.mu.Unlock()

	if t.queues == nil {
		t.queues = map[string][]*place{}
	}

	entered := &place{operation: operation, come: make(chan struct{})}
	t.queues[machine] = append(t.queues[machine], entered)

	if len(t.queues[machine]) == 1 {
		close(entered.come)
	}

	return entered
}

// leave ends a place, if it is not ended yet.
func (t *turns) leave(machine string, taken *place) {
	t.mu.Lock()
	defer t.mu.Unlock()

	queue := t.queues[machine]

	at := slices.Index(queue, taken)
	if taken == nil || at < 0 {
		return
	}

	queue = slices.Delete(queue, at, at+1)
	if len(queue) == 0 {
		delete(t.queues, machine)

		return
	}

	t.queues[machine] = queue

	if at == 0 {
		close(queue[0].come)
	}
}

// machineOf names the machine that a request is about: by its provider ID, and
// before it has one by what it is to become. It is empty where the request names
// no machine.
func machineOf(request machineops.OperationRequest) string {
	switch {
	case request.ProviderID != "":
		return "id " + request.ProviderID
	case request.MachineUID != "":
		return "uid " + string(request.MachineUID)
	case request.MachineName != "":
		return "name " + request.MachineName
	default:
		return ""
	}
}
