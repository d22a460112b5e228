package alicloud

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// answers keeps what ECS answered, by what was asked, for a while. Callers who ask for
// the same at a time wait for each other, so that it is asked once; an error is kept for
// nobody. It is safe for concurrent use.
type answers[Value any] struct {
	clock    clock.PassiveClock
	lifetime time.Duration

	mu    sync.Mutex
	known map[string]*answer[Value]
}

// answer is one of them. Who holds the turn may use the rest.
type answer[Value any] struct {
	turn  chan struct{}
	value Value
	until time.Time
}

func newAnswers[Value any](c clock.PassiveClock, lifetime time.Duration) *answers[Value] {
	return &answers[Value]{clock: c, lifetime: lifetime, known: map[string]*answer[Value]{}}
}

// get returns the answer under the key, which it asks for unless it is known. What it
// returns is shared: the caller must not change it.
func (a *answers[Value]) get(ctx context.Context, key string, ask func(context.Context) (Value, error)) (Value, error) {
	one := a.answer(key)

	select {
	case one.turn <- struct{}{}:
	case <-ctx.Done():
		var none Value

		return none, machineops.Ended(ctx)
	}

	defer func() { <-one.turn }()

	if a.clock.Now().Before(one.until) {
		return one.value, nil
	}

	value, err := ask(ctx)
	if err == nil {
		one.value, one.until = value, a.clock.Now().Add(a.lifetime)
	}

	return value, err
}

func (a *answers[Value]) answer(key string) *answer[Value] {
	a.mu.Lock()
	defer a.mu.Unlock()

	one, ok := a.known[key]
	if !ok {
		one = &answer[Value]{turn: make(chan struct{}, 1)}
		a.known[key] = one
	}

	return one
}
