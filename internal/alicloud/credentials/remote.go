package credentials

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

const (
	metadataEndpoint = "http://100.100.100.200"
	// metadataTimeout bounds one answer of the service, which is on the very host. Who
	// is on no instance waits for it once.
	metadataTimeout = 2 * time.Second
	uriTimeout      = 10 * time.Second
	largestKey      = 64 << 10

	metadataTokenSeconds    = "21600"
	metadataSecondsHeader   = "X-aliyun-ecs-metadata-token-ttl-seconds"
	metadataTokenHeader     = "X-aliyun-ecs-metadata-token" //nolint:gosec // G101 takes the name of a header for a secret.
	metadataRolesPath       = "/latest/meta-data/ram/security-credentials/"
	metadataTokenPath       = "/latest/api/token" //nolint:gosec // G101 takes a path for a secret.
	variableNoPlainMetadata = "ALIBABA_CLOUD_IMDSV1_DISABLED"
)

// instanceSource gives the key of the role of the instance that this runs on. An
// empty role is the one that the instance has.
//
// Source: "Access instance metadata"; "Use the instance RAM role".
func (o Options) instanceSource(env variables, role string) (source, error) {
	if env.on("ALIBABA_CLOUD_ECS_METADATA_DISABLED") {
		return nil, errors.New("an instance role is asked for, and ALIBABA_CLOUD_ECS_METADATA_DISABLED switches the instance metadata service off")
	}
	service := metadata{endpoint: strings.TrimSuffix(o.MetadataEndpoint, "/"), hardened: env.on(variableNoPlainMetadata), http: direct()}
	return func(ctx context.Context) (key, error) {
		found, err := service.roleKey(ctx, role)
		if err != nil {
			return key{}, fmt.Errorf("asking the instance metadata service for the key of the instance's role: %w", err)
		}
		return found, nil
	}, nil
}

// metadata is the instance metadata service.
type metadata struct {
	endpoint string
	// hardened forbids calls without a token.
	hardened bool
	http     *http.Client
}

func (m metadata) roleKey(ctx context.Context, role string) (key, error) {
	token, err := m.token(ctx)
	if err != nil {
		return key{}, err
	}
	if role == "" {
		names, err := m.get(ctx, token, metadataRolesPath)
		if err != nil {
			return key{}, err
		}
		role, _, _ = strings.Cut(strings.TrimSpace(string(names)), "\n")
		if role = strings.TrimSpace(role); role == "" {
			return key{}, errors.New("the instance has no role")
		}
	}
	answer, err := m.get(ctx, token, metadataRolesPath+url.PathEscape(role))
	if err != nil {
		return key{}, err
	}
	return readKey(answer)
}

// token opens the hardened mode. An instance that does not know it answers in
// plain mode, unless that is forbidden.
func (m metadata) token(ctx context.Context) (string, error) {
	text, err := m.call(ctx, http.MethodPut, metadataTokenPath, metadataSecondsHeader, metadataTokenSeconds)
	var refused *statusError
	if errors.As(err, &refused) && !m.hardened {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

func (m metadata) get(ctx context.Context, token, path string) ([]byte, error) {
	return m.call(ctx, http.MethodGet, path, metadataTokenHeader, token)
}

func (m metadata) call(ctx context.Context, method, path, header, value string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, m.endpoint+path, http.NoBody)
	if err != nil {
		return nil, errors.New("the address of the service is malformed")
	}
	if value != "" {
		request.Header.Set(header, value)
	}
	return answer(m.http, request)
}

// uriSource gives the key that a URI answers.
func uriSource(address string) (source, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		// The address is not repeated: it may hold a password.
		return nil, errors.New("the credentials URI is malformed: it looks like http://localhost:6666/credentials")
	}
	client := direct()
	return func(ctx context.Context) (key, error) {
		ctx, cancel := context.WithTimeout(ctx, uriTimeout)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			return key{}, errors.New("the credentials URI is malformed")
		}
		body, err := answer(client, request)
		if err != nil {
			return key{}, fmt.Errorf("asking the credentials URI at %s: %w", parsed.Host, err)
		}
		found, err := readKey(body)
		if err != nil {
			return key{}, fmt.Errorf("asking the credentials URI at %s: %w", parsed.Host, err)
		}
		return found, nil
	}, nil
}

// statusError is an answer that says no.
type statusError struct{ status int }

// Error tells the status, and nothing of the body.
func (e *statusError) Error() string { return fmt.Sprintf("answered HTTP %d", e.status) }

// answer returns the body of an answer. Errors show neither that nor the address.
func answer(client *http.Client, request *http.Request) ([]byte, error) {
	response, err := client.Do(request)
	if err != nil {
		var withAddress *url.Error
		if errors.As(err, &withAddress) {
			err = withAddress.Err
		}
		return nil, fmt.Errorf("no answer: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, largestKey))
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, &statusError{response.StatusCode}
	case err != nil:
		return nil, fmt.Errorf("no whole answer: %w", err)
	}
	return body, nil
}

// readKey reads the answer of the metadata service or of a credentials URI.
func readKey(body []byte) (key, error) {
	var told struct {
		Code            string
		AccessKeyID     string `json:"AccessKeyId"`
		AccessKeySecret string
		SecurityToken   string
		Expiration      string
	}
	switch {
	case json.Unmarshal(body, &told) != nil:
		// The decoder's text quotes the answer.
		return key{}, errors.New("the answer is not the JSON of a key")
	case told.Code != "" && told.Code != "Success":
		return key{}, errors.New("the answer says that there is no key")
	case told.AccessKeyID == "" || told.AccessKeySecret == "":
		return key{}, errors.New("the answer holds no whole key")
	}
	found := key{CredentialValue: ecs.CredentialValue{AccessKeyID: told.AccessKeyID, AccessKeySecret: told.AccessKeySecret, SecurityToken: told.SecurityToken}}
	if told.Expiration != "" {
		ends, err := time.Parse(time.RFC3339, told.Expiration)
		if err != nil {
			return key{}, errors.New("the answer does not say when the key ends")
		}
		found.ends = ends
	}
	return found, nil
}
