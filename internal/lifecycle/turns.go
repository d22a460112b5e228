package lifecycle

import (
	"context"
	"slices"
	"sync"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// turns lets one operation at a time at each machine, in the order of asking. The
// zero value is ready to use.
type turns struct {
	mu sync.Mutex
	// queues holds, for each machine with an operation, one channel per operation:
	// the first has the turn, and a channel is closed when its turn has come.
	queues map[string][]chan struct{}
}

// take waits until every older operation on the machine has ended, and returns
// what ends this one. While it waits it holds nothing but a place in the queue,
// which it gives up when the context ends; the error says why it did.
func (t *turns) take(ctx context.Context, machine string) (func(), error) {
	if machine == "" {
		return func() {}, nil
	}

	turn := t.enter(machine)
	leave := func() { t.leave(machine, turn) }

	select {
	case <-turn:
		return leave, nil
	case <-ctx.Done():
		leave()

		return nil, ended(ctx)
	}
}

// busy reports whether an operation on the machine is under way.
func (t *turns) busy(machine string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	return len(t.queues[machine]) > 0
}

func (t *turns) enter(machine string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()

	if t.queues == nil {
		t.queues = map[string][]chan struct{}{}
	}

	turn := make(chan struct{})
	t.queues[machine] = append(t.queues[machine], turn)

	if len(t.queues[machine]) == 1 {
		close(turn)
	}

	return turn
}

func (t *turns) leave(machine string, turn chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()

	queue := t.queues[machine]

	place := slices.Index(queue, turn)
	if place < 0 {
		return
	}

	queue = slices.Delete(queue, place, place+1)
	if len(queue) == 0 {
		delete(t.queues, machine)

		return
	}

	t.queues[machine] = queue

	if place == 0 {
		close(queue[0])
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
