package ecsemulator

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The headers of the token flow. Source: the page "Access instance metadata" (ecs-api 6.4).
const (
	metadataTTLHeader   = "X-aliyun-ecs-metadata-token-ttl-seconds"
	metadataTokenHeader = "X-aliyun-ecs-metadata-token" // #nosec G101 -- the name of a header
	maxMetadataTTL      = 21600
)

// instanceSessions keeps what the metadata service has handed out: its own tokens, and the keys of roles.
type instanceSessions struct {
	mu     sync.Mutex
	chosen string               // the instance that the service speaks for; empty means the newest
	tokens map[string]time.Time // ends
	keys   map[string]issuedKey // by instance and role
}

type issuedKey struct {
	AccessKey
	issued time.Time
}

func newInstanceSessions() *instanceSessions {
	return &instanceSessions{tokens: map[string]time.Time{}, keys: map[string]issuedKey{}}
}

func (s *Server) listenForMetadata() error {
	if s.options.MetadataAddress == "" {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(s.life, "tcp", s.options.MetadataAddress)
	if err != nil {
		return err
	}
	s.metadataAddr = listener.Addr().String()
	s.metadata = &http.Server{Handler: s.tracked(http.HandlerFunc(s.serveMetadata)), ReadHeaderTimeout: time.Minute, ErrorLog: s.serverLog()}
	s.serve(s.metadata, listener)
	return nil
}

func (s *Server) closeMetadata() error {
	if s.metadata == nil {
		return nil
	}
	return s.metadata.Close()
}

// SetMetadataInstance chooses the instance that the metadata service speaks for. Empty chooses the newest there is, as at the start. A
// request can choose for itself by a path that begins with the id: /i-.../latest/meta-data/.
func (s *Server) SetMetadataInstance(id string) error {
	if id != "" {
		if _, found := s.instanceForMetadata(id); !found {
			return errors.Join(errors.New("metadata instance "+clip(id)), ErrNotFound)
		}
	}
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	s.sessions.chosen = id
	return nil
}

// MetadataInstance is the id of the instance that the metadata service speaks for, empty if there is none.
func (s *Server) MetadataInstance() string {
	s.sessions.mu.Lock()
	chosen := s.sessions.chosen
	s.sessions.mu.Unlock()
	found, _ := s.instanceForMetadata(chosen)
	return found.id
}

// metadataView is what the service tells of an instance, taken at one moment.
type metadataView struct {
	id, accountID, ramRole    string
	endpointOff, tokensNeeded bool
	userData                  string
	values                    map[string]string
	document                  map[string]string
}

// instanceForMetadata finds an instance that exists; an empty id finds the newest.
func (s *Server) instanceForMetadata(id string) (metadataView, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	var found *instance
	var owner string
	for _, a := range s.accounts {
		s.settle(a, now)
		for _, i := range a.order {
			if i.exists(now) && (i.id == id || id == "" && (found == nil || i.createdAt.After(found.createdAt))) {
				found, owner = i, a.id
			}
		}
	}
	if found == nil {
		return metadataView{}, false
	}
	return found.metadata(owner), true
}

func (i *instance) metadata(accountID string) metadataView {
	v := metadataView{
		id: i.id, accountID: accountID, ramRole: i.ramRole, endpointOff: i.httpEndpoint == "disabled", tokensNeeded: i.httpTokens == "required",
		userData: i.userData,
		values: map[string]string{
			"instance-id": i.id, "region-id": i.regionID, "zone-id": i.zoneID, "hostname": i.hostName, "image-id": i.image.ID,
			"instance/instance-type": i.instanceType.ID, "instance/instance-name": i.name, "private-ipv4": i.address.String(), "mac": i.mac,
			"vpc-id": i.vpc.ID, "vswitch-id": i.vswitch.ID, "vpc-cidr-block": i.vpc.CIDR, "vswitch-cidr-block": i.vswitch.CIDR,
			"owner-account-id": accountID, "serial-number": i.serial, "network-type": "vpc",
		},
		document: map[string]string{
			"instance-id": i.id, "region-id": i.regionID, "zone-id": i.zoneID, "image-id": i.image.ID, "instance-type": i.instanceType.ID,
			"private-ipv4": i.address.String(), "mac": i.mac, "owner-account-id": accountID, "serial-number": i.serial,
		},
	}
	if i.publicAddress != "" {
		v.values["eipv4"] = i.publicAddress
	}
	if !i.reclaimAt.IsZero() {
		v.values["instance/spot/termination-time"] = i.reclaimAt.Format(secondLayout)
	}
	return v
}

// serveMetadata answers like http://100.100.100.200 within the instance.
func (s *Server) serveMetadata(w http.ResponseWriter, r *http.Request) {
	s.sessions.mu.Lock()
	path, chosen := r.URL.Path, s.sessions.chosen
	s.sessions.mu.Unlock()
	if rest, found := strings.CutPrefix(path, "/i-"); found {
		id, after, _ := strings.Cut(rest, "/")
		path, chosen = "/"+after, "i-"+id
	}
	view, found := s.instanceForMetadata(chosen)
	switch {
	case !found || view.endpointOff: // an address at which nobody answers, as far as HTTP can tell it
		http.Error(w, "404 - Not Found", http.StatusNotFound)
	case path == "/latest/api/token":
		s.metadataToken(w, r)
	case r.Method != http.MethodGet:
		http.Error(w, "405 - Method Not Allowed", http.StatusMethodNotAllowed)
	case !s.sessions.admits(r.Header.Get(metadataTokenHeader), view.tokensNeeded):
		http.Error(w, "403 - Forbidden", http.StatusForbidden)
	default:
		s.answerMetadata(w, view, path)
	}
}

// metadataToken hands out a token of the hardened mode. A forwarded request is refused, so that no proxy gives tokens away.
func (s *Server) metadataToken(w http.ResponseWriter, r *http.Request) {
	ttl, err := strconv.Atoi(r.Header.Get(metadataTTLHeader))
	switch {
	case r.Method != http.MethodPut:
		http.Error(w, "405 - Method Not Allowed", http.StatusMethodNotAllowed)
	case r.Header.Get("X-Forwarded-For") != "":
		http.Error(w, "403 - Forbidden", http.StatusForbidden)
	case err != nil || ttl < 1 || ttl > maxMetadataTTL:
		http.Error(w, "400 - Bad Request", http.StatusBadRequest)
	default:
		w.Header().Set(metadataTTLHeader, strconv.Itoa(ttl))
		plain(w, s.sessions.newToken(time.Duration(ttl)*time.Second))
	}
}

func (m *instanceSessions) newToken(ttl time.Duration) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for token, end := range m.tokens {
		if now.After(end) {
			delete(m.tokens, token)
		}
	}
	token := rand.Text()
	m.tokens[token] = now.Add(ttl)
	return token
}

// admits tells whether a request may be answered: with a good token, or without one where none is needed. Tokens end by the wall clock,
// which is the one their clients know.
func (m *instanceSessions) admits(token string, needed bool) bool {
	if token == "" {
		return !needed
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	end, known := m.tokens[token]
	return known && time.Now().Before(end)
}

func (s *Server) answerMetadata(w http.ResponseWriter, v metadataView, path string) {
	const roles = "ram/security-credentials"
	name, isMetadata := strings.CutPrefix(path, "/latest/meta-data")
	name = strings.Trim(name, "/")
	switch {
	case path == "/latest/user-data" && v.userData != "":
		raw, _ := base64.StdEncoding.DecodeString(v.userData) // checked when it came
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(raw) // a client that has gone needs no answer
	case path == "/latest/dynamic/instance-identity/document":
		metadataJSON(w, v.document)
	case !isMetadata:
		http.Error(w, "404 - Not Found", http.StatusNotFound)
	case name == roles && v.ramRole != "":
		plain(w, v.ramRole)
	case name == roles+"/"+v.ramRole && v.ramRole != "":
		s.answerRoleKey(w, v)
	case v.values[name] != "":
		plain(w, v.values[name])
	default:
		s.answerListing(w, v, name)
	}
}

// answerListing answers a path that is no value with the names below it, one a line; folders end in a slash.
func (s *Server) answerListing(w http.ResponseWriter, v metadataView, folder string) {
	below := map[string]string{}
	prefix := folder + "/"
	if folder == "" {
		prefix = ""
	}
	names := []string{}
	for name := range v.values {
		names = append(names, name)
	}
	if v.ramRole != "" {
		names = append(names, "ram/security-credentials/")
	}
	for _, name := range names {
		rest, found := strings.CutPrefix(name, prefix)
		if !found || rest == "" {
			continue
		}
		first, _, isFolder := strings.Cut(rest, "/")
		if isFolder {
			first += "/"
		}
		below[first] = first
	}
	if len(below) == 0 {
		http.Error(w, "404 - Not Found", http.StatusNotFound)
		return
	}
	plain(w, strings.Join(sortedValues(below), "\n"))
}

type roleKeyAnswer struct {
	Code            string
	AccessKeyID     string `json:"AccessKeyId"`
	AccessKeySecret string
	SecurityToken   string
	Expiration      string
	LastUpdated     string
}

// answerRoleKey gives the key of the instance's role; the same one until half of its six hours are over.
func (s *Server) answerRoleKey(w http.ResponseWriter, v metadataView) {
	const lifetime = 6 * time.Hour
	s.sessions.mu.Lock()
	key := s.sessions.keys[v.id+"/"+v.ramRole]
	current, known := s.directory.key(key.ID)
	if now := time.Now(); !known || current.Expires.Sub(now) < lifetime/2 {
		opened := s.openSession(sessionPlan{accountID: v.accountID, roleName: v.ramRole, sessionName: v.id, duration: lifetime})
		key = issuedKey{opened, now}
		s.sessions.keys[v.id+"/"+v.ramRole] = key
	}
	s.sessions.mu.Unlock()
	metadataJSON(w, roleKeyAnswer{
		Code: "Success", AccessKeyID: key.ID, AccessKeySecret: key.Secret, SecurityToken: key.SecurityToken,
		Expiration: key.Expires.Format(secondLayout), LastUpdated: key.issued.UTC().Format(secondLayout),
	})
}

func plain(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain")
	_, _ = w.Write([]byte(text)) // a client that has gone needs no answer
}

func metadataJSON(w http.ResponseWriter, document any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(document) // a client that has gone needs no answer
}
