package ecsemulator

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// How much the page shows, and how often it refreshes itself. Who wants more asks the control API.
const (
	pageMachines       = 200
	pageDisks          = 200
	pageCalls          = 50
	pageRefreshSeconds = 2
)

//go:embed page.html
var pageSource string

// pageView is what the page shows.
type pageView struct {
	URL             string
	Now             string
	ClockFactor     float64
	RefreshSeconds  int
	Paused          bool
	Machines        []Instance
	MachinesLeftOut int
	Disks           []diskView
	DiskTotal       int
	DisksLeftOut    int
	Faults          []faultView
	Holds           []Hold
	Answers         []AnswerCount
	Calls           []Call
	CallTotal       int
	RefusedTotal    int
}

// ShownMachines are the newest machines, newest first.
func (v pageView) ShownMachines() []Instance { return newest(v.Machines, pageMachines) }

// diskView is one disk as the page shows it.
type diskView struct {
	ID, InstanceID, Category string
	SizeGiB                  int
	System                   bool
	DeleteWithInstance       bool
}

// faultView is one rule in words.
type faultView struct {
	ID, Kind, Detail, Calls, When string
}

// servePage answers a page that lists machines, disks, calls and faults. It loads nothing from elsewhere and runs no script.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	page, err := template.New("page").Funcs(template.FuncMap{"tone": tone, "toneOfStatus": toneOfStatus, "shorten": clip}).Parse(pageSource)
	var body bytes.Buffer
	if err == nil {
		err = page.Execute(&body, s.view(r.URL.Query().Get("refresh") == "off"))
	}
	if err != nil {
		reply(w, nil, fmt.Errorf("the page cannot be made: %w", err))
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	_, _ = w.Write(body.Bytes()) // a client that has gone needs no answer
}

func (s *Server) view(paused bool) pageView {
	v := pageView{
		URL: s.URL(), Now: s.Now().Format(time.RFC3339), ClockFactor: s.ClockFactor(), RefreshSeconds: pageRefreshSeconds, Paused: paused,
		Machines: s.Instances(), Holds: s.Holds(), Answers: s.AnswerCounts(), Calls: s.latestCalls(pageCalls),
	}
	v.MachinesLeftOut = max(0, len(v.Machines)-pageMachines)
	disks := s.diskViews()
	v.DiskTotal, v.Disks, v.DisksLeftOut = len(disks), newest(disks, pageDisks), max(0, len(disks)-pageDisks)
	for _, rule := range s.RulesInForce() {
		v.Faults = append(v.Faults, rule.inWords())
	}
	for _, calls := range s.Counts() {
		v.CallTotal += calls
	}
	for _, answers := range v.Answers {
		if answers.Status < 200 || answers.Status > 299 {
			v.RefusedTotal += answers.Calls
		}
	}
	return v
}

// newest gives the last n of a list, last first.
func newest[T any](list []T, n int) []T {
	last := slices.Clone(list[max(0, len(list)-n):])
	slices.Reverse(last)
	return last
}

// diskViews are the disks of all accounts, oldest first within each.
func (s *Server) diskViews() []diskView {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	var views []diskView
	for _, id := range slices.Sorted(maps.Keys(s.accounts)) {
		s.settle(s.accounts[id], now)
		for _, d := range s.accounts[id].diskList {
			views = append(views, diskView{d.id, d.instanceID, d.category, d.sizeGiB, d.system, d.deleteWithInstance})
		}
	}
	return views
}

// latestCalls are the last calls of the request log, last first.
func (s *Server) latestCalls(n int) []Call {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	kept := newest(s.calls.calls, n)
	calls := make([]Call, len(kept))
	for i := range kept {
		calls[i] = kept[i].call()
	}
	return calls
}

// inWords tells what a rule does, to which calls and when.
func (r Rule) inWords() faultView {
	view := faultView{ID: r.ID, Kind: string(r.Kind), Calls: orDefault(r.Action, "every action")}
	var details []string
	for _, detail := range []struct {
		given bool
		text  string
	}{
		{r.Code != "", strings.TrimSpace(fmt.Sprintf("%d %s", r.HTTPStatus, r.Code))},
		{r.Reason != "", r.Reason},
		{r.AccountID != "", r.AccountID},
		{r.PerMinute > 0, fmt.Sprintf("beyond %d a minute", r.PerMinute)},
		{r.Seconds > 0, fmt.Sprintf("%v s", r.Seconds)},
	} {
		if detail.given {
			details = append(details, detail.text)
		}
	}
	view.Detail = strings.Join(details, ", ")
	if r.RegionID != "" {
		view.Calls += " in " + r.RegionID
	}
	if r.AccessKeyID != "" {
		view.Calls += " by " + r.AccessKeyID
	}
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		view.Calls += fmt.Sprintf(" with %s=%s", name, masked(name, r.Parameters[name]))
	}
	view.When = string(r.At) + " the effect"
	if r.At == MomentDuring {
		view.When = "during the call"
	}
	switch {
	case r.First > 1 && r.Times > 0:
		view.When += fmt.Sprintf(", calls %d to %d", r.First, r.First+r.Times-1)
	case r.First > 1:
		view.When += fmt.Sprintf(", from call %d on", r.First)
	case r.Times > 0:
		view.When += fmt.Sprintf(", the first %d calls", r.Times)
	}
	return view
}

// tone is the class of the color that a status is shown in.
func tone(status string) string {
	switch status {
	case statusRunning:
		return "good"
	case statusStopped:
		return "soft"
	default:
		return "busy"
	}
}

func toneOfStatus(status int) string {
	if status >= 200 && status < 300 {
		return "good"
	}
	return "bad"
}
