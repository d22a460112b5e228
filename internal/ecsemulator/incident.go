package ecsemulator

import (
	"fmt"
	"slices"
	"time"
)

// spotNotice is how long before its end a spot instance is told of it. Source: the page "Preemptible instances".
const spotNotice = 5 * time.Minute

// somebodyElse is the caller in the journal where nobody who signs was the cause.
const somebodyElse = "somebody else"

// IncidentKind says what befalls an instance that no call of its owner asked for.
type IncidentKind string

// The kinds of incidents. A Rule of the same kind lets one befall the instances that a call launches or names.
const (
	// IncidentStop stops the instance, as somebody in the console would.
	IncidentStop IncidentKind = "stop"
	// IncidentRelease releases the instance, as somebody in the console would: it goes away like after DeleteInstance.
	IncidentRelease IncidentKind = "release"
	// IncidentReclaim takes a spot instance back: it gets the lock Recycling now, and in five minutes it is gone or stopped, as its
	// SpotInterruptionBehavior says. Other instances cannot be reclaimed.
	IncidentReclaim IncidentKind = "reclaim"
	// IncidentLock locks the instance for Reason.
	IncidentLock IncidentKind = "lock"
	// IncidentUnlock ends the lock for Reason.
	IncidentUnlock IncidentKind = "unlock"

	// incidentReclaimed is the end of the five minutes.
	incidentReclaimed IncidentKind = "reclaimed"
)

// Incident is something that befalls an instance.
type Incident struct {
	Kind IncidentKind `json:"kind"`
	// Reason is the lock: financial, security, Recycling, dedicatedhostfinancial or refunded. For lock and unlock only.
	Reason string `json:"reason,omitempty"`
	// Seconds is how much later it happens, in virtual time.
	Seconds float64 `json:"seconds,omitempty"`
}

// plannedIncident is an incident whose moment is known.
type plannedIncident struct {
	At     time.Time
	Kind   IncidentKind
	Reason string
}

func lockReasons() []string {
	return []string{"financial", lockSecurity, lockRecycling, "dedicatedhostfinancial", "refunded"}
}

func (i Incident) check() error {
	switch i.Kind {
	case IncidentStop, IncidentRelease, IncidentReclaim:
		if i.Reason != "" {
			return fmt.Errorf("incident: %q takes no reason", i.Kind)
		}
	case IncidentLock, IncidentUnlock:
		if !slices.Contains(lockReasons(), i.Reason) {
			return fmt.Errorf("incident: reason %q is none of %v", i.Reason, lockReasons())
		}
	default:
		return fmt.Errorf("incident: kind %q is unknown", i.Kind)
	}
	if i.Seconds < 0 {
		return fmt.Errorf("incident: seconds %v is negative", i.Seconds)
	}
	return nil
}

// AddIncident lets something befall an instance, now or Seconds later. Errors: an incident that cannot be, an instance that is not there
// (wrapping ErrNotFound), the reclaim of an instance that is no spot instance.
func (s *Server) AddIncident(instanceID string, incident Incident) (Instance, error) {
	if err := incident.check(); err != nil {
		return Instance{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	for _, a := range s.accounts {
		s.settle(a, now)
		i := a.instances[instanceID]
		if i == nil || !i.exists(now) {
			continue
		}
		if incident.Kind == IncidentReclaim && i.chargeMode != ChargeSpot {
			return Instance{}, fmt.Errorf("incident: instance %s is not a spot instance", instanceID)
		}
		i.plan(now, incident)
		s.settle(a, now)
		s.touch()
		return i.inspect(a.id, now), nil
	}
	return Instance{}, fmt.Errorf("instance %q: %w", instanceID, ErrNotFound)
}

func (i *instance) plan(now time.Time, incident Incident) {
	at := now.Add(time.Duration(incident.Seconds * float64(time.Second)))
	i.planned = append(i.planned, plannedIncident{at, incident.Kind, incident.Reason})
}

// meet carries out the planned incidents whose moment has come, in the order of their moments.
func (s *Server) meet(a *account, i *instance, now time.Time) {
	for len(i.planned) > 0 {
		slices.SortStableFunc(i.planned, func(x, y plannedIncident) int { return x.At.Compare(y.At) })
		next := i.planned[0]
		if next.At.After(now) {
			return
		}
		i.planned = slices.Delete(i.planned, 0, 1)
		if i.exists(next.At) {
			s.strike(a, i, next)
		}
	}
}

// strike carries out one incident at its moment.
func (s *Server) strike(a *account, i *instance, incident plannedIncident) {
	at := incident.At
	note := func(effect, detail string) {
		s.record(Effect{
			Time: at, Effect: effect, Caller: somebodyElse, AccountID: a.id, RegionID: i.regionID, InstanceID: i.id, Detail: detail,
		})
	}
	switch incident.Kind {
	case IncidentLock:
		if !i.locked(incident.Reason) {
			i.locks = append(i.locks, incident.Reason)
			note("locked", incident.Reason)
		}
	case IncidentUnlock:
		if i.locked(incident.Reason) {
			i.unlock(incident.Reason)
			note("unlocked", incident.Reason)
		}
	case IncidentStop:
		if !i.releasing && i.status(at) != statusStopped {
			i.stoppedMode = "KeepCharging"
			i.turn(at, statusStopping, s.options.StopDuration, statusStopped)
			note("stopped", i.stoppedMode)
		}
	case IncidentRelease:
		if !i.releasing {
			s.beginRelease(i, at)
			note("releasing", "")
		}
	case IncidentReclaim:
		if i.chargeMode == ChargeSpot && !i.locked(lockRecycling) {
			i.locks = append(i.locks, lockRecycling)
			i.reclaimAt = at.Add(spotNotice)
			i.planned = append(i.planned, plannedIncident{At: i.reclaimAt, Kind: incidentReclaimed})
			note("reclaim notice", orDefault(i.spotInterruption, "Terminate"))
		}
	case incidentReclaimed:
		s.reclaim(i, at)
		note("reclaimed", orDefault(i.spotInterruption, "Terminate"))
	}
}

// reclaim is the end of the notice: gone, or stopped without charge.
func (s *Server) reclaim(i *instance, at time.Time) {
	i.reclaimAt = time.Time{}
	if i.spotInterruption != "Stop" {
		i.vanish(at, s.options.ReleasedVisibilityDelay)
		return
	}
	i.unlock(lockRecycling)
	if i.status(at) != statusStopped {
		i.turn(at, statusStopping, s.options.StopDuration, statusStopped)
	}
	i.stoppedMode = "StopCharging"
}

// beginRelease begins the end of an instance.
func (s *Server) beginRelease(i *instance, now time.Time) {
	i.releasing = true
	if i.status(now) != statusStopped {
		i.turn(now, statusStopping, s.options.ReleaseDuration, statusStopped)
	}
	end := now.Add(s.options.ReleaseDuration)
	if i.goneAt.IsZero() || end.Before(i.goneAt) {
		i.withdrawn = false
		i.vanish(end, s.options.ReleasedVisibilityDelay)
	}
}

// befall lets the rules' incidents befall the instances.
func (c *call) befall(at Moment, instances []*instance) {
	for _, rule := range c.verdict.incidents {
		if rule.At != at {
			continue
		}
		for _, i := range instances {
			i.plan(c.now, Incident{Kind: IncidentKind(rule.Kind), Reason: rule.Reason, Seconds: rule.Seconds})
		}
	}
	c.server.settle(c.account, c.now)
}

// named are the existing instances that a call names, by InstanceId, InstanceId.N, InstanceIds or ResourceId.N.
func (c *call) named() []*instance {
	ids := []string{c.string("InstanceId")}
	ids = append(ids, c.list("InstanceId")...)
	if list, sent, refusal := c.jsonList("InstanceIds"); sent && refusal == nil {
		ids = append(ids, list...)
	}
	if c.string("ResourceType") == "instance" {
		ids = append(ids, c.list("ResourceId")...)
	}
	var found []*instance
	for _, id := range ids {
		if i, exists := c.find(id); exists && !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	return found
}

// launched are the instances that a call has just made.
func (c *call) launched(result any) []*instance {
	answer, ok := result.(runInstancesAnswer)
	if !ok {
		return nil
	}
	made := make([]*instance, 0, len(answer.InstanceIDSets.InstanceIDSet))
	for _, id := range answer.InstanceIDSets.InstanceIDSet {
		if i := c.account.instances[id]; i != nil {
			made = append(made, i)
		}
	}
	return made
}
