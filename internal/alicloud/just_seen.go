package alicloud

import (
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// justSeenFor is how long a look serves the next one.
const justSeenFor = time.Second

// justSeen hands the last look of a launch on: who drives the launch confirms at once
// whose the machine is that it was told of, and the look that told so shows that,
// too. Each look is handed on once, for a moment only, and not beyond a change of the
// machine: whoever reads back what was written looks anew. It is safe for concurrent use; a nil one
// keeps nothing.
type justSeen struct {
	clock clock.PassiveClock

	mu    sync.Mutex
	looks map[driver.ProviderID]seenLook
}

type seenLook struct {
	instance ecs.Instance
	at       time.Time
}

// put keeps a look that was just made.
func (s *justSeen) put(id driver.ProviderID, instance ecs.Instance) {
	if s == nil {
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	now := s.clock.Now()

	if s.looks == nil {
		s.looks = map[driver.ProviderID]seenLook{}
	}

	for other, look := range s.looks {
		if now.Sub(look.at) > justSeenFor {
			delete(s.looks, other)
		}
	}

	s.looks[id] = seenLook{instance: instance, at: now}
}

// forget drops the look at a machine that is about to be changed.
func (s *justSeen) forget(id driver.ProviderID) { s.take(id) }

// take returns the look at the machine, once.
func (s *justSeen) take(id driver.ProviderID) (ecs.Instance, bool) {
	if s == nil {
		return ecs.Instance{}, false
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	look, there := s.looks[id]
	delete(s.looks, id)

	return look.instance, there && s.clock.Since(look.at) <= justSeenFor
}
