package ecsemulator

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// AddIncident lets something befall an instance.
func (c *ControlClient) AddIncident(ctx context.Context, instanceID string, incident Incident) (Instance, error) {
	return fetch[Instance](ctx, c, http.MethodPost, "/instances/"+url.PathEscape(instanceID)+"/incidents", incident)
}

// CurrentTiming reads the durations.
func (c *ControlClient) CurrentTiming(ctx context.Context) (Timing, error) {
	return fetch[Timing](ctx, c, http.MethodGet, "/timing", nil)
}

// SetTiming sets the durations.
func (c *ControlClient) SetTiming(ctx context.Context, timing Timing) error {
	_, err := fetch[Timing](ctx, c, http.MethodPut, "/timing", timing)
	return err
}

// SetTime moves the virtual clock forward to a moment.
func (c *ControlClient) SetTime(ctx context.Context, to time.Time) error {
	_, err := fetch[ClockReading](ctx, c, http.MethodPost, "/clock/set", clockSet{to})
	return err
}

// SetAccessKey adds or replaces an access key.
func (c *ControlClient) SetAccessKey(ctx context.Context, key AccessKey) error {
	return c.change(ctx, http.MethodPut, "/ram/keys", key)
}

// AccessKeys lists the keys, without secrets and tokens.
func (c *ControlClient) AccessKeys(ctx context.Context) ([]AccessKey, error) {
	return fetch[[]AccessKey](ctx, c, http.MethodGet, "/ram/keys", nil)
}

// DisableAccessKey disables a key, or enables it again.
func (c *ControlClient) DisableAccessKey(ctx context.Context, id string, disabled bool) error {
	verb := "/enable"
	if disabled {
		verb = "/disable"
	}
	return c.change(ctx, http.MethodPost, "/ram/keys/"+url.PathEscape(id)+verb, nil)
}

// ExpireAccessKey ends a temporary key now.
func (c *ControlClient) ExpireAccessKey(ctx context.Context, id string) error {
	return c.change(ctx, http.MethodPost, "/ram/keys/"+url.PathEscape(id)+"/expire", nil)
}

// RemoveAccessKey forgets a key.
func (c *ControlClient) RemoveAccessKey(ctx context.Context, id string) error {
	return c.change(ctx, http.MethodDelete, "/ram/keys/"+url.PathEscape(id), nil)
}

// SetUser adds or replaces a RAM user.
func (c *ControlClient) SetUser(ctx context.Context, user User) error {
	return c.change(ctx, http.MethodPut, "/ram/users", user)
}

// Users lists the RAM users.
func (c *ControlClient) Users(ctx context.Context) ([]User, error) {
	return fetch[[]User](ctx, c, http.MethodGet, "/ram/users", nil)
}

// RemoveUser forgets a RAM user.
func (c *ControlClient) RemoveUser(ctx context.Context, accountID, name string) error {
	return c.change(ctx, http.MethodDelete, "/ram/users/"+url.PathEscape(name)+"?account_id="+url.QueryEscape(accountID), nil)
}

// SetRole adds or replaces a RAM role.
func (c *ControlClient) SetRole(ctx context.Context, role Role) error {
	return c.change(ctx, http.MethodPut, "/ram/roles", role)
}

// Roles lists the RAM roles.
func (c *ControlClient) Roles(ctx context.Context) ([]Role, error) {
	return fetch[[]Role](ctx, c, http.MethodGet, "/ram/roles", nil)
}

// RemoveRole forgets a RAM role.
func (c *ControlClient) RemoveRole(ctx context.Context, accountID, name string) error {
	return c.change(ctx, http.MethodDelete, "/ram/roles/"+url.PathEscape(name)+"?account_id="+url.QueryEscape(accountID), nil)
}

// SetIdentityProvider adds or replaces an OIDC identity provider.
func (c *ControlClient) SetIdentityProvider(ctx context.Context, provider IdentityProvider) error {
	return c.change(ctx, http.MethodPut, "/ram/identity-providers", provider)
}

// IdentityProviders lists the OIDC identity providers, without their tokens.
func (c *ControlClient) IdentityProviders(ctx context.Context) ([]IdentityProvider, error) {
	return fetch[[]IdentityProvider](ctx, c, http.MethodGet, "/ram/identity-providers", nil)
}

// RemoveIdentityProvider forgets an OIDC identity provider.
func (c *ControlClient) RemoveIdentityProvider(ctx context.Context, accountID, name string) error {
	return c.change(ctx, http.MethodDelete, "/ram/identity-providers/"+url.PathEscape(name)+"?account_id="+url.QueryEscape(accountID), nil)
}

// SetMetadataInstance chooses the instance that the metadata service speaks for.
func (c *ControlClient) SetMetadataInstance(ctx context.Context, id string) error {
	return c.change(ctx, http.MethodPut, "/metadata", metadataChoice{id})
}

// MetadataInstance is the instance that the metadata service speaks for.
func (c *ControlClient) MetadataInstance(ctx context.Context) (string, error) {
	choice, err := fetch[metadataChoice](ctx, c, http.MethodGet, "/metadata", nil)
	return choice.InstanceID, err
}

func (c *ControlClient) change(ctx context.Context, method, path string, input any) error {
	_, err := fetch[struct{}](ctx, c, method, path, input)
	return err
}
