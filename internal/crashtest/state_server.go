package crashtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// stateServer keeps states as Terraform's http backend wants it: GET, POST and
// DELETE of a path, LOCK and UNLOCK of it. Terraform saves late there: the first time
// 20 seconds after the first resource, and at the end.
type stateServer struct {
	server *http.Server
	url    string
	served sync.WaitGroup

	mu     sync.Mutex
	states map[string][]byte
	locks  map[string]string
}

func startStateServer(ctx context.Context) (*stateServer, error) {
	var config net.ListenConfig

	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("state server: %w", err)
	}

	s := &stateServer{
		url:    "http://" + listener.Addr().String(),
		states: map[string][]byte{},
		locks:  map[string]string{},
	}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	// Serve ends with Close; what it returns then tells nothing.
	s.served.Go(func() { _ = s.server.Serve(listener) })

	return s, nil
}

func (s *stateServer) close() error {
	err := s.server.Close()
	s.served.Wait()

	return err
}

// variables are the environment that makes the state of this name a command's.
func (s *stateServer) variables(name string) map[string]string {
	address := s.url + "/" + name

	return map[string]string{"TF_HTTP_ADDRESS": address, "TF_HTTP_LOCK_ADDRESS": address, "TF_HTTP_UNLOCK_ADDRESS": address}
}

// state is what is saved under the name, nil if nothing is.
func (s *stateServer) state(name string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.states["/"+name]
}

// forget takes the state and its lock away.
func (s *stateServer) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	delete(s.states, "/"+name)
	delete(s.locks, "/"+name)
}

// unlock takes the lock of a dead command away, as a user does with force-unlock.
func (s *stateServer) unlock(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	delete(s.locks, "/"+name)
}

// ServeHTTP implements the protocol of the http backend.
func (s *stateServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)

		return
	}

	status, answer := s.handle(r.Method, r.URL.Path, r.URL.Query().Get("ID"), body)

	w.WriteHeader(status)

	if _, err := w.Write(answer); err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
		return // The command is dead; that is what this server is for.
	}
}

func (s *stateServer) handle(method, path, lockID string, body []byte) (int, []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()

	held, locked := s.locks[path]

	switch method {
	case http.MethodGet:
		if s.states[path] == nil {
			return http.StatusNotFound, nil
		}

		return http.StatusOK, s.states[path]
	case http.MethodPost:
		if locked && !strings.Contains(held, `"ID":"`+lockID+`"`) {
			return http.StatusConflict, []byte(held)
		}

		s.states[path] = body

		return http.StatusOK, nil
	case http.MethodDelete:
		delete(s.states, path)

		return http.StatusOK, nil
	case "LOCK":
		if locked {
			return http.StatusLocked, []byte(held)
		}

		s.locks[path] = string(body)

		return http.StatusOK, nil
	case "UNLOCK":
		delete(s.locks, path)

		return http.StatusOK, nil
	default:
		return http.StatusMethodNotAllowed, nil
	}
}
