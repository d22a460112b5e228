package ecsemulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// controlHandler serves the control API, which the package comment describes.
func (s *Server) controlHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /environment", show(s.Environment))
	mux.HandleFunc("GET /{$}", s.servePage)
	mux.HandleFunc("GET /counts", show(s.Counts))
	mux.HandleFunc("GET /counts/answers", show(s.AnswerCounts))
	mux.HandleFunc("GET /calls", show(s.Calls))
	mux.HandleFunc("DELETE /calls", func(w http.ResponseWriter, _ *http.Request) { s.ResetCalls(); reply(w, struct{}{}, nil) })
	mux.HandleFunc("GET /instances", show(s.Instances))
	mux.HandleFunc("POST /instances", accept(s.AddInstance))
	mux.HandleFunc("DELETE /instances/{id}", remove(s.RemoveInstance))
	mux.HandleFunc("GET /disks", show(s.Disks))
	mux.HandleFunc("POST /disks", accept(s.AddDisk))
	mux.HandleFunc("GET /journal", show(s.Journal))
	mux.HandleFunc("GET /rules", show(s.RulesInForce))
	mux.HandleFunc("POST /rules", accept(s.AddRule))
	mux.HandleFunc("DELETE /rules/{id}", remove(s.RemoveRule))
	mux.HandleFunc("GET /holds", show(s.Holds))
	mux.HandleFunc("GET /holds/wait", s.controlWait)
	mux.HandleFunc("POST /holds/{id}/release", s.controlRelease)
	mux.HandleFunc("GET /clock", show(s.clockReading))
	mux.HandleFunc("POST /clock/step", accept(func(step clockStep) (ClockReading, error) {
		err := s.Step(time.Duration(step.Seconds * float64(time.Second)))
		return s.clockReading(), err
	}))
	mux.HandleFunc("POST /stock", accept(func(stock Stock) (Stock, error) { return stock, s.SetStock(stock) }))
	mux.HandleFunc("GET /behavior", show(s.CurrentBehavior))
	mux.HandleFunc("PUT /behavior", accept(func(b Behavior) (Behavior, error) {
		err := s.SetBehavior(b)
		return s.CurrentBehavior(), err
	}))
	s.controlPrincipals(mux)
	return mux
}

// ClockReading is the virtual time and how fast it runs.
type ClockReading struct {
	Now    time.Time `json:"now"`
	Factor float64   `json:"factor"`
}

type clockStep struct {
	Seconds float64 `json:"seconds"`
}

type releaseRequest struct {
	Outcome Outcome `json:"outcome"`
}

type controlError struct {
	Error string `json:"error"`
}

func (s *Server) clockReading() ClockReading {
	return ClockReading{Now: s.Now(), Factor: s.ClockFactor()}
}

func show[T any](read func() T) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { reply(w, read(), nil) }
}

func accept[T, R any](do func(T) (R, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var input T
		if err := readJSON(w, r, &input); err != nil {
			reply(w, nil, err)
			return
		}
		result, err := do(input)
		reply(w, result, err)
	}
}

func remove(do func(string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { reply(w, struct{}{}, do(r.PathValue("id"))) }
}

func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("the body is not what is wanted here: %w", err)
	}
	return nil
}

func reply(w http.ResponseWriter, result any, err error) {
	status := http.StatusOK
	switch {
	case errors.Is(err, ErrNotFound):
		status = http.StatusNotFound
	case errors.Is(err, context.DeadlineExceeded):
		status = http.StatusRequestTimeout
	case err != nil:
		status = http.StatusBadRequest
	}
	if err != nil {
		result = controlError{err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(result) // a client that has gone needs no answer
}

func (s *Server) controlWait(w http.ResponseWriter, r *http.Request) {
	seconds := 30.0
	if text := r.URL.Query().Get("timeout_seconds"); text != "" {
		var err error
		if seconds, err = strconv.ParseFloat(text, 64); err != nil || seconds <= 0 {
			reply(w, nil, fmt.Errorf("timeout_seconds %q is not a positive number", text))
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(seconds*float64(time.Second)))
	defer cancel()
	hold, err := s.WaitHold(ctx, r.URL.Query().Get("rule"))
	reply(w, hold, err)
}

func (s *Server) controlRelease(w http.ResponseWriter, r *http.Request) {
	var request releaseRequest
	if err := readJSON(w, r, &request); err != nil {
		reply(w, nil, err)
		return
	}
	reply(w, struct{}{}, s.Release(r.PathValue("id"), request.Outcome))
}
