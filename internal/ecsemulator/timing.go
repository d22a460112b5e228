package ecsemulator

import (
	"fmt"
	"time"
)

// Timing holds the durations of a server, in seconds of virtual time. They count for what begins from now on: what is booting,
// stopping or going away keeps its moment.
type Timing struct {
	PendingSeconds float64 `json:"pending_seconds"`
	BootSeconds    float64 `json:"boot_seconds"`
	StopSeconds    float64 `json:"stop_seconds"`
	ReleaseSeconds float64 `json:"release_seconds"`
	// NewVisibilitySeconds is how long reads leave a new instance out.
	NewVisibilitySeconds float64 `json:"new_visibility_seconds"`
	// ReleasedVisibilitySeconds is how long reads still list an instance that is gone.
	ReleasedVisibilitySeconds float64 `json:"released_visibility_seconds"`
}

// CurrentTiming is the durations in force.
func (s *Server) CurrentTiming() Timing {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := &s.options
	return Timing{
		PendingSeconds: o.PendingDuration.Seconds(), BootSeconds: o.BootDuration.Seconds(), StopSeconds: o.StopDuration.Seconds(),
		ReleaseSeconds: o.ReleaseDuration.Seconds(), NewVisibilitySeconds: o.NewVisibilityDelay.Seconds(),
		ReleasedVisibilitySeconds: o.ReleasedVisibilityDelay.Seconds(),
	}
}

// SetTiming changes all durations. Here zero means none. A negative duration, or a Pending longer than the boot that it is a part of,
// is an error.
func (s *Server) SetTiming(timing Timing) error {
	for name, value := range map[string]float64{
		"pending_seconds": timing.PendingSeconds, "boot_seconds": timing.BootSeconds, "stop_seconds": timing.StopSeconds,
		"release_seconds": timing.ReleaseSeconds, "new_visibility_seconds": timing.NewVisibilitySeconds,
		"released_visibility_seconds": timing.ReleasedVisibilitySeconds,
	} {
		if value < 0 {
			return fmt.Errorf("timing: %s %v is negative", name, value)
		}
	}
	if timing.PendingSeconds > timing.BootSeconds {
		return fmt.Errorf("timing: pending_seconds %v is more than boot_seconds %v, which counts from the launch", timing.PendingSeconds, timing.BootSeconds)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := &s.options
	o.PendingDuration, o.BootDuration = seconds(timing.PendingSeconds), seconds(timing.BootSeconds)
	o.StopDuration, o.ReleaseDuration = seconds(timing.StopSeconds), seconds(timing.ReleaseSeconds)
	o.NewVisibilityDelay, o.ReleasedVisibilityDelay = seconds(timing.NewVisibilitySeconds), seconds(timing.ReleasedVisibilitySeconds)
	s.touch()
	return nil
}

func seconds(count float64) time.Duration { return time.Duration(count * float64(time.Second)) }
