package crashtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Progress is what is known of a run, kept in a file so that it can go on later. It
// holds for one build of the provider. Its methods may be called by many at once.
type Progress struct {
	mu       sync.Mutex
	file     *os.File
	verdicts map[string]Verdict
	calls    map[string][]Call
}

// entry is one line of the file; one field is set.
type entry struct {
	Build   string    `json:"build,omitempty"`
	Calls   *callList `json:"calls,omitempty"`
	Verdict *Verdict  `json:"verdict,omitempty"`
}

type callList struct {
	Scenario string `json:"scenario"`
	Setting  string `json:"setting"`
	Calls    []Call `json:"calls"`
}

func (c callList) key() string { return c.Scenario + "/" + c.Setting }

// OpenProgress opens the file for a build of the provider. What it holds of another
// build is dropped; a line cut off by a crash of the harness ends what it holds.
func OpenProgress(path, build string) (*Progress, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // The file that the caller names.
	if err != nil {
		return nil, fmt.Errorf("progress: %w", err)
	}

	p := &Progress{file: file, verdicts: map[string]Verdict{}, calls: map[string][]Call{}}

	kept, err := p.read(build)
	if err == nil {
		err = file.Truncate(kept)
	}

	if err == nil {
		_, err = file.Seek(kept, io.SeekStart)
	}

	if err == nil && kept == 0 {
		err = p.write(entry{Build: build})
	}

	if err != nil {
		return nil, errors.Join(fmt.Errorf("progress: %w", err), file.Close())
	}

	return p, nil
}

// read reads what holds, and returns how many bytes that is.
func (p *Progress) read(build string) (kept int64, err error) {
	reader := bufio.NewReader(p.file)

	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return kept, nil
		}

		if err != nil {
			return 0, err
		}

		var found entry
		if json.Unmarshal(line, &found) != nil || kept == 0 && found.Build != build {
			return kept, nil //nolint:nilerr // What cannot be read ends what holds; it is run again.
		}

		kept += int64(len(line))

		switch {
		case found.Verdict != nil:
			p.verdicts[found.Verdict.Point] = *found.Verdict
		case found.Calls != nil:
			p.calls[found.Calls.key()] = found.Calls.Calls
		}
	}
}

func (p *Progress) write(line entry) error {
	encoded, err := json.Marshal(line)
	if err != nil {
		return err
	}

	if _, err := p.file.Write(append(encoded, '\n')); err != nil {
		return fmt.Errorf("progress: %w", err)
	}

	return nil
}

// Close closes the file.
func (p *Progress) Close() error { return p.file.Close() }

// Verdict returns what became of a point, if it was run.
func (p *Progress) Verdict(point string) (Verdict, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()

	verdict, found := p.verdicts[point]

	return verdict, found
}

// Add keeps a verdict.
func (p *Progress) Add(verdict Verdict) error {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.verdicts[verdict.Point] = verdict

	return p.write(entry{Verdict: &verdict})
}

// Remember makes a Discoverer that asks another once for each scenario and setting.
// The prefix tells the calls of one place from those of another.
func (p *Progress) Remember(prefix string, discover Discoverer) Discoverer {
	return func(ctx context.Context, scenario string, setting Setting) ([]Call, error) {
		list := callList{Scenario: prefix + scenario, Setting: setting.Name()}

		p.mu.Lock()
		calls, known := p.calls[list.key()]
		p.mu.Unlock()

		if known {
			return calls, nil
		}

		calls, err := discover(ctx, scenario, setting)
		if err != nil {
			return calls, err
		}

		p.mu.Lock()
		defer p.mu.Unlock()

		p.calls[list.key()] = calls
		list.Calls = calls

		return calls, p.write(entry{Calls: &list})
	}
}
