package ecsemulator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ControlClient speaks to the control API of a server in another process. Its methods do what those of Server of the same name do; an
// id that is not there is an error wrapping ErrNotFound here too. It may be used by many at once.
type ControlClient struct {
	// URL is what Server.ControlURL gives.
	URL string
	// HTTP is the client to use. Nil means http.DefaultClient.
	HTTP *http.Client
}

// Environment gives the KEY=value lines that point clients at the server.
func (c *ControlClient) Environment(ctx context.Context) ([]string, error) {
	return fetch[[]string](ctx, c, http.MethodGet, "/environment", nil)
}

// Counts gives the number of calls by action.
func (c *ControlClient) Counts(ctx context.Context) (map[string]int, error) {
	return fetch[map[string]int](ctx, c, http.MethodGet, "/counts", nil)
}

// AnswerCounts gives the number of calls by action, caller, status and code.
func (c *ControlClient) AnswerCounts(ctx context.Context) ([]AnswerCount, error) {
	return fetch[[]AnswerCount](ctx, c, http.MethodGet, "/counts/answers", nil)
}

// Calls gives the request log.
func (c *ControlClient) Calls(ctx context.Context) ([]Call, error) {
	return fetch[[]Call](ctx, c, http.MethodGet, "/calls", nil)
}

// ResetCalls empties the request log and the counts.
func (c *ControlClient) ResetCalls(ctx context.Context) error {
	_, err := fetch[struct{}](ctx, c, http.MethodDelete, "/calls", nil)
	return err
}

// Instances lists what exists.
func (c *ControlClient) Instances(ctx context.Context) ([]Instance, error) {
	return fetch[[]Instance](ctx, c, http.MethodGet, "/instances", nil)
}

// AddInstance puts an instance into an account.
func (c *ControlClient) AddInstance(ctx context.Context, wanted NewInstance) (Instance, error) {
	return fetch[Instance](ctx, c, http.MethodPost, "/instances", wanted)
}

// RemoveInstance takes an instance away at once.
func (c *ControlClient) RemoveInstance(ctx context.Context, id string) error {
	_, err := fetch[struct{}](ctx, c, http.MethodDelete, "/instances/"+url.PathEscape(id), nil)
	return err
}

// Disks lists what disks exist.
func (c *ControlClient) Disks(ctx context.Context) ([]Disk, error) {
	return fetch[[]Disk](ctx, c, http.MethodGet, "/disks", nil)
}

// AddDisk attaches a data disk to an instance.
func (c *ControlClient) AddDisk(ctx context.Context, wanted NewDisk) (Disk, error) {
	return fetch[Disk](ctx, c, http.MethodPost, "/disks", wanted)
}

// Journal lists all that ever happened to instances.
func (c *ControlClient) Journal(ctx context.Context) ([]Effect, error) {
	return fetch[[]Effect](ctx, c, http.MethodGet, "/journal", nil)
}

// AddRule puts a rule in force and returns it with its id.
func (c *ControlClient) AddRule(ctx context.Context, rule Rule) (Rule, error) {
	return fetch[Rule](ctx, c, http.MethodPost, "/rules", rule)
}

// RemoveRule ends a rule; the calls that it holds proceed.
func (c *ControlClient) RemoveRule(ctx context.Context, id string) error {
	_, err := fetch[struct{}](ctx, c, http.MethodDelete, "/rules/"+url.PathEscape(id), nil)
	return err
}

// RulesInForce lists the rules.
func (c *ControlClient) RulesInForce(ctx context.Context) ([]Rule, error) {
	return fetch[[]Rule](ctx, c, http.MethodGet, "/rules", nil)
}

// Holds lists the calls held now.
func (c *ControlClient) Holds(ctx context.Context) ([]Hold, error) {
	return fetch[[]Hold](ctx, c, http.MethodGet, "/holds", nil)
}

// WaitHold returns once the rule holds a call, or with an error after the timeout.
func (c *ControlClient) WaitHold(ctx context.Context, ruleID string, timeout time.Duration) (Hold, error) {
	query := url.Values{"rule": {ruleID}, "timeout_seconds": {strconv.FormatFloat(timeout.Seconds(), 'f', -1, 64)}}
	return fetch[Hold](ctx, c, http.MethodGet, "/holds/wait?"+query.Encode(), nil)
}

// Release lets one held call go.
func (c *ControlClient) Release(ctx context.Context, holdID string, outcome Outcome) error {
	_, err := fetch[struct{}](ctx, c, http.MethodPost, "/holds/"+url.PathEscape(holdID)+"/release", releaseRequest{outcome})
	return err
}

// Clock reads the virtual clock.
func (c *ControlClient) Clock(ctx context.Context) (ClockReading, error) {
	return fetch[ClockReading](ctx, c, http.MethodGet, "/clock", nil)
}

// Step moves the virtual clock forward.
func (c *ControlClient) Step(ctx context.Context, d time.Duration) error {
	_, err := fetch[ClockReading](ctx, c, http.MethodPost, "/clock/step", clockStep{d.Seconds()})
	return err
}

// SetStock overrides stock.
func (c *ControlClient) SetStock(ctx context.Context, stock Stock) error {
	_, err := fetch[Stock](ctx, c, http.MethodPost, "/stock", stock)
	return err
}

// CurrentBehavior reads the switches.
func (c *ControlClient) CurrentBehavior(ctx context.Context) (Behavior, error) {
	return fetch[Behavior](ctx, c, http.MethodGet, "/behavior", nil)
}

// SetBehavior sets the switches.
func (c *ControlClient) SetBehavior(ctx context.Context, behavior Behavior) error {
	_, err := fetch[Behavior](ctx, c, http.MethodPut, "/behavior", behavior)
	return err
}

func fetch[R any](ctx context.Context, c *ControlClient, method, path string, input any) (result R, err error) {
	var body io.Reader
	if input != nil {
		raw, err := json.Marshal(input)
		if err != nil {
			return result, fmt.Errorf("control %s %s: %w", method, path, err)
		}
		body = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, body)
	if err != nil {
		return result, fmt.Errorf("control %s %s: %w", method, path, err)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return result, fmt.Errorf("control %s %s: %w", method, path, err)
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	if response.StatusCode != http.StatusOK {
		var failure controlError
		if err := decoder.Decode(&failure); err != nil {
			failure.Error = response.Status
		}
		if response.StatusCode == http.StatusNotFound {
			return result, fmt.Errorf("control %s %s: %s: %w", method, path, failure.Error, ErrNotFound)
		}
		return result, fmt.Errorf("control %s %s: %s", method, path, failure.Error)
	}
	if err := decoder.Decode(&result); err != nil {
		return result, fmt.Errorf("control %s %s: read the answer: %w", method, path, err)
	}
	return result, nil
}
