package ecsemulator

import (
	"net/http"
	"time"
)

// controlPrincipals adds what the control API has for RAM, incidents, durations and metadata.
func (s *Server) controlPrincipals(mux *http.ServeMux) {
	mux.HandleFunc("GET /ram/keys", show(s.AccessKeys))
	mux.HandleFunc("PUT /ram/keys", put(s.SetAccessKey))
	mux.HandleFunc("DELETE /ram/keys/{id}", remove(s.RemoveAccessKey))
	mux.HandleFunc("POST /ram/keys/{id}/expire", remove(s.ExpireAccessKey))
	mux.HandleFunc("POST /ram/keys/{id}/disable", remove(func(id string) error { return s.DisableAccessKey(id, true) }))
	mux.HandleFunc("POST /ram/keys/{id}/enable", remove(func(id string) error { return s.DisableAccessKey(id, false) }))
	mux.HandleFunc("GET /ram/users", show(s.Users))
	mux.HandleFunc("PUT /ram/users", put(s.SetUser))
	mux.HandleFunc("DELETE /ram/users/{id}", removeOf(s.RemoveUser))
	mux.HandleFunc("GET /ram/roles", show(s.Roles))
	mux.HandleFunc("PUT /ram/roles", put(s.SetRole))
	mux.HandleFunc("DELETE /ram/roles/{id}", removeOf(s.RemoveRole))
	mux.HandleFunc("GET /ram/identity-providers", show(s.IdentityProviders))
	mux.HandleFunc("PUT /ram/identity-providers", put(s.SetIdentityProvider))
	mux.HandleFunc("DELETE /ram/identity-providers/{id}", removeOf(s.RemoveIdentityProvider))
	mux.HandleFunc("POST /instances/{id}/incidents", func(w http.ResponseWriter, r *http.Request) {
		accept(func(incident Incident) (Instance, error) { return s.AddIncident(r.PathValue("id"), incident) })(w, r)
	})
	mux.HandleFunc("GET /timing", show(s.CurrentTiming))
	mux.HandleFunc("PUT /timing", accept(func(timing Timing) (Timing, error) {
		err := s.SetTiming(timing)
		return s.CurrentTiming(), err
	}))
	mux.HandleFunc("POST /clock/set", accept(func(wanted clockSet) (ClockReading, error) {
		err := s.SetTime(wanted.Now)
		return s.clockReading(), err
	}))
	mux.HandleFunc("GET /metadata", show(func() metadataChoice { return metadataChoice{s.MetadataInstance()} }))
	mux.HandleFunc("PUT /metadata", put(func(choice metadataChoice) error { return s.SetMetadataInstance(choice.InstanceID) }))
}

type clockSet struct {
	Now time.Time `json:"now"`
}

type metadataChoice struct {
	InstanceID string `json:"instance_id"`
}

// put accepts what is set as it stands, and answers with nothing: what is set may hold secrets.
func put[T any](do func(T) error) http.HandlerFunc {
	return accept(func(input T) (struct{}, error) { return struct{}{}, do(input) })
}

// removeOf is remove for what an account has; account_id in the query names another account than the default one.
func removeOf(do func(accountID, name string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		reply(w, struct{}{}, do(r.URL.Query().Get("account_id"), r.PathValue("id")))
	}
}
