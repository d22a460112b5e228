package crashtest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Place is where points are run.
type Place interface {
	// Run runs a point. The error is the harness's own.
	Run(ctx context.Context, point Point) (Verdict, error)
	// Slow lets the clocks of the clouds run at a fifth of their speed from now on. It
	// is called while no point runs.
	Slow() error
}

// slowdown is what Slow divides the speed of clocks by.
const slowdown = 5

// Runner runs points side by side and tells how it goes.
type Runner struct {
	// Place is where the points run: a *Laboratory or an *InProcess.
	Place Place
	// Prefix begins the names of the points in the progress.
	Prefix   string
	Progress *Progress
	// Parallel is how many points run at once.
	Parallel int
	// Again runs what did not heal again, twice, at a slower clock, one after the other.
	// A clock that runs fast makes every pause of a busy machine a long one, of more
	// seconds than any call is under way; what the product does wrong it does at every
	// speed.
	Again bool
	// Output gets one line for each point that did not heal, and now and then how
	// far the run is.
	Output io.Writer

	mu       sync.Mutex
	began    time.Time
	told     time.Time
	finished int
	fresh    int
}

// tellEvery is how often the runner says how far it is.
const tellEvery = 10 * time.Second

// Run runs the points whose verdicts are not known yet, and sums up all of them. An
// error is the harness's own; what was found by then is in the progress.
func (r *Runner) Run(ctx context.Context, points []Point) (Summary, error) {
	r.began = time.Now()
	r.told = r.began

	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(r.Parallel, 1))

	for _, point := range points {
		if ctx.Err() != nil {
			break
		}

		if verdict, known := r.Progress.Verdict(r.Prefix + point.Name()); known {
			r.tell(verdict, false, len(points))

			continue
		}

		group.Go(func() error {
			verdict, err := r.Place.Run(ctx, point)
			if err != nil {
				return err
			}

			r.tell(verdict, true, len(points))

			return r.Progress.Add(verdict)
		})
	}

	if err := group.Wait(); err != nil {
		return Summary{}, err
	}

	if err := context.Cause(ctx); err != nil && len(points) > r.finished {
		return Summary{}, err
	}

	if r.Again {
		if err := r.runAgain(ctx, points); err != nil {
			return Summary{}, err
		}
	}

	return r.sum(points), nil
}

// timesAgain is how often a point has to heal that did not at first.
const timesAgain = 2

// runAgain runs what did not heal once more.
func (r *Runner) runAgain(ctx context.Context, points []Point) error {
	slow := false

	for _, point := range points {
		first, known := r.Progress.Verdict(r.Prefix + point.Name())
		if !known || first.Good() || first.Again {
			continue
		}

		if !slow {
			slow = true

			if err := r.Place.Slow(); err != nil {
				return err
			}
		}

		verdict, err := r.again(ctx, point)
		if err != nil {
			return err
		}

		if err := r.Progress.Add(verdict); err != nil {
			return err
		}

		fmt.Fprintf(r.Output, "again, at a slower clock: %s\n", verdict)
	}

	return nil
}

// again returns the first verdict that is not good, or else the last.
func (r *Runner) again(ctx context.Context, point Point) (Verdict, error) {
	var verdict Verdict

	for range timesAgain {
		var err error
		if verdict, err = r.Place.Run(ctx, point); err != nil {
			return Verdict{}, err
		}

		if !verdict.Good() {
			break
		}
	}

	verdict.Again = true

	return verdict, nil
}

func (r *Runner) sum(points []Point) Summary {
	summary := Summary{scenarios: map[string]bool{}}

	for _, point := range points {
		if verdict, known := r.Progress.Verdict(r.Prefix + point.Name()); known {
			summary.add(point, verdict)
		}
	}

	return summary
}

func (r *Runner) tell(verdict Verdict, fresh bool, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.finished++

	if fresh {
		r.fresh++
	}

	if !verdict.Good() {
		fmt.Fprintln(r.Output, verdict)
	}

	if now := time.Now(); fresh && now.Sub(r.told) >= tellEvery {
		r.told = now
		left := time.Duration(float64(now.Sub(r.began)) / float64(r.fresh) * float64(total-r.finished))
		fmt.Fprintf(r.Output, "%d of %d points, about %s left\n", r.finished, total, left.Round(time.Second))
	}
}

// Summary sums up verdicts.
type Summary struct {
	scenarios map[string]bool
	// Points is how many points were run; KillPoints those of them that were reached.
	Points, KillPoints int
	// Bad is how many points did not heal as promised.
	Bad int

	leaks, twins, thefts, repeated, problems, named, refused, extra, again int
	seconds, slowestStop                                                   float64
}

func (s *Summary) add(point Point, verdict Verdict) {
	s.scenarios[point.Scenario] = true
	s.Points++
	s.seconds += verdict.Seconds

	if verdict.Reached {
		s.KillPoints++
	}

	if !verdict.Good() {
		s.Bad++
	}

	if verdict.Again {
		s.again++
	}

	s.leaks += len(verdict.Leaks)
	s.twins += len(verdict.Twins)
	s.thefts += len(verdict.Thefts)
	s.repeated += len(verdict.Repeated)
	s.problems += len(verdict.Problems)
	s.named += len(verdict.Named)
	s.refused += len(verdict.Refused)
	s.extra += verdict.ExtraLaunches
	s.slowestStop = max(s.slowestStop, verdict.StopSeconds)
}

// Merge adds what another summary sums up.
func (s *Summary) Merge(other Summary) {
	if s.scenarios == nil {
		s.scenarios = map[string]bool{}
	}

	maps.Copy(s.scenarios, other.scenarios)
	s.Points += other.Points
	s.KillPoints += other.KillPoints
	s.Bad += other.Bad
	s.leaks += other.leaks
	s.twins += other.twins
	s.thefts += other.thefts
	s.repeated += other.repeated
	s.problems += other.problems
	s.named += other.named
	s.refused += other.refused
	s.extra += other.extra
	s.again += other.again
	s.seconds += other.seconds
	s.slowestStop = max(s.slowestStop, other.slowestStop)
}

// One point in so many, and a few in a short run, may heal only at a slower clock; more
// is no busy machine, but a fault that comes and goes.
const (
	pointsForOneAgain = 50
	fewAgain          = 2
)

// Good reports whether everything healed as promised, nearly always at once.
func (s *Summary) Good() bool {
	return s.Points > 0 && s.Bad == 0 && s.again <= max(fewAgain, s.Points/pointsForOneAgain)
}

// Details tells what the last line leaves out.
func (s *Summary) Details() string {
	mean := 0.0
	if s.Points > 0 {
		mean = s.seconds / float64(s.Points)
	}

	return fmt.Sprintf("points=%d unhealed=%d thefts=%d problems=%d named=%d refused=%d extra_launches=%d again=%d mean_seconds=%.2f slowest_stop_seconds=%.2f",
		s.Points, s.Bad, s.thefts, s.problems, s.named, s.refused, s.extra, s.again, mean, s.slowestStop)
}

// String is the last line of a run.
func (s *Summary) String() string {
	return fmt.Sprintf("scenarios=%d kill_points=%d leaks=%d twins=%d repeated_effects=%d",
		len(s.scenarios), s.KillPoints, s.leaks, s.twins, s.repeated)
}
