package ecsemulator

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server is a running emulator. Its methods may be called by many at once.
type Server struct {
	options Options
	clock   *virtualClock
	actions map[actionKey]*action
	rules   *ruleBook
	calls   *callLog
	nonces  *nonceMemory
	tokens  *tokenMemory
	// directory keeps keys, users and roles.
	directory *directory
	// changes counts what the state file should know of.
	changes  atomic.Int64
	api      *http.Server
	control  *http.Server
	apiAddr  string
	ctrlAddr string
	// caFile is where the certificate of the authority lies, if there is one.
	caFile       string
	metadata     *http.Server // nil if there is none
	metadataAddr string
	sessions     *instanceSessions

	// life ends when the server closes: what waits on behalf of a call ends with it.
	life   context.Context
	end    context.CancelFunc
	served sync.WaitGroup
	close  sync.Once
	closed error

	handling sync.Mutex // guards ending, and adding to handlers
	ending   bool
	handlers sync.WaitGroup

	saving sync.Mutex // guards saved
	saved  int64      // what changes was when the state was last written

	mu       sync.Mutex // guards all below
	behavior Behavior
	stock    []Stock
	accounts map[string]*account
	journal  []Effect
}

// Start starts a server. It ends with Close or with ctx. Errors: an invalid option, or an address that cannot be listened on.
func Start(ctx context.Context, options Options) (*Server, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("ecs emulator: %w", err)
	}
	actions, err := indexActions(allActions())
	if err != nil {
		return nil, fmt.Errorf("ecs emulator: %w", err)
	}
	s := &Server{
		options:   options,
		clock:     newVirtualClock(options.ClockFactor, options.ClockOrigin),
		actions:   actions,
		rules:     newRuleBook(),
		calls:     &callLog{},
		nonces:    newNonceMemory(),
		tokens:    newTokenMemory(),
		directory: newDirectory(),
		sessions:  newInstanceSessions(),
		behavior:  options.Behavior,
		stock:     copyStock(options.Catalogue.Stock),
		accounts:  map[string]*account{},
	}
	for _, rule := range options.Rules {
		if _, err := s.AddRule(rule); err != nil {
			return nil, fmt.Errorf("ecs emulator: %w", err)
		}
	}
	if err := s.fillDirectory(); err != nil {
		return nil, fmt.Errorf("ecs emulator: %w", err)
	}
	if err := s.loadState(); err != nil {
		return nil, fmt.Errorf("ecs emulator: %w", err)
	}
	s.life, s.end = context.WithCancel(ctx)
	if err := s.listen(); err != nil {
		s.end()
		return nil, fmt.Errorf("ecs emulator: %w", err)
	}
	return s, nil
}

func (s *Server) listen() error {
	var config net.ListenConfig
	api, err := config.Listen(s.life, "tcp", s.options.Address)
	if err != nil {
		return err
	}
	control, err := config.Listen(s.life, "tcp", s.options.ControlAddress)
	if err != nil {
		return errors.Join(err, api.Close())
	}
	s.apiAddr, s.ctrlAddr = api.Addr().String(), control.Addr().String()
	s.api = &http.Server{Handler: s.tracked(http.HandlerFunc(s.serveAPI)), ReadHeaderTimeout: time.Minute, ErrorLog: s.serverLog()}
	s.control = &http.Server{Handler: s.tracked(s.controlHandler()), ReadHeaderTimeout: time.Minute, ErrorLog: s.serverLog()}
	if err := s.listenForMetadata(); err != nil {
		return errors.Join(err, api.Close(), control.Close())
	}
	if s.options.TLS {
		if api, err = s.secure(api); err != nil {
			return errors.Join(err, control.Close(), s.closeMetadata())
		}
	}
	s.serve(s.api, api)
	s.serve(s.control, control)
	s.keepState()
	context.AfterFunc(s.life, func() { _ = s.Close() })
	return nil
}

// serverLog takes what net/http has to say, such as failed handshakes, into the server's log.
func (s *Server) serverLog() *log.Logger {
	return slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelDebug)
}

func (s *Server) serve(server *http.Server, listener net.Listener) {
	s.served.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.options.Logger.Error("the emulator stopped serving", "error", err)
		}
	})
}

// tracked lets Close wait for the calls that are still being handled.
func (s *Server) tracked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handling.Lock()
		if s.ending {
			s.handling.Unlock()
			panic(http.ErrAbortHandler) // as net/http wants it: the connection is cut
		}
		s.handlers.Add(1)
		s.handling.Unlock()
		defer s.handlers.Done()
		next.ServeHTTP(w, r)
	})
}

// Close ends the server: calls that are held are dropped, connections are closed. It returns once nothing of it runs any more.
func (s *Server) Close() error {
	s.close.Do(func() {
		s.handling.Lock()
		s.ending = true
		s.handling.Unlock()
		s.end()
		s.closed = errors.Join(s.api.Close(), s.control.Close(), s.closeMetadata())
		s.served.Wait()
		s.handlers.Wait()
		s.closed = errors.Join(s.closed, s.saveState(), s.removeCA())
	})
	return s.closed
}

// Endpoint is the host and port of the API, without a scheme: what an SDK wants as its endpoint or domain. The scheme is http, or https
// with Options.TLS.
func (s *Server) Endpoint() string { return s.apiAddr }

// URL is the base of the API, with its scheme.
func (s *Server) URL() string {
	if s.options.TLS {
		return "https://" + s.apiAddr
	}
	return "http://" + s.apiAddr
}

// MetadataURL is the base of the instance metadata service, empty if there is none.
func (s *Server) MetadataURL() string {
	if s.metadataAddr == "" {
		return ""
	}
	return "http://" + s.metadataAddr
}

// ControlURL is the base of the control API.
func (s *Server) ControlURL() string { return "http://" + s.ctrlAddr }

// Now is the virtual time, in UTC.
func (s *Server) Now() time.Time { return s.clock.now() }

// Step moves the virtual clock forward by d. A negative d is an error.
func (s *Server) Step(d time.Duration) error { return s.clock.step(d) }

// SetTime moves the virtual clock forward to a moment. One that has passed is an error.
func (s *Server) SetTime(to time.Time) error { return s.clock.set(to) }

// ClockFactor is how many virtual seconds pass in one second.
func (s *Server) ClockFactor() float64 { return s.options.ClockFactor }

// SetBehavior changes the switches from now on. An unknown value is an error.
func (s *Server) SetBehavior(behavior Behavior) error {
	behavior, err := behavior.withDefaults()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behavior = behavior
	s.touch()
	return nil
}

// CurrentBehavior is the position of the switches.
func (s *Server) CurrentBehavior() Behavior {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.behavior
}
