package ecsemulator

import (
	"slices"
	"strings"
	"time"
)

const assumeRoleWithOIDCParameters = `
string: OIDCProviderArn RoleArn RoleSessionName
integer: DurationSeconds
string 2048: Policy
string 20000: OIDCToken
`

type assumeRoleWithOIDCAnswer struct {
	assumedRoleAnswer
	OIDCTokenInfo oidcTokenInfo
}

type oidcTokenInfo struct {
	Subject        string
	Issuer         string
	ClientIDs      string `json:"ClientIds"`
	ExpirationTime string `json:"ExpirationTime,omitempty"`
}

func authenticationFailed(code, message string) *APIError {
	return refuse(401, "AuthenticationFail."+code, "%s", message)
}

// assumeRoleWithOIDC opens a session of a role for whoever brings a token that an identity provider gave out. The call is not signed.
// Sources: the AssumeRoleWithOIDC page and the list of error codes of STS.
func assumeRoleWithOIDC() *action {
	return &action{
		actionKey: actionKey{serviceSTS, "AssumeRoleWithOIDC"}, declares: assumeRoleWithOIDCParameters, anyRegion: true, unsigned: true,
		run: func(c *call) (any, *APIError) {
			plan, refusal := c.checkSession()
			if refusal != nil {
				return nil, refusal
			}
			provider, token, refusal := c.checkOIDCToken()
			if refusal != nil {
				return nil, refusal
			}
			role, known := c.server.directory.role(plan.accountID, plan.roleName)
			if !known {
				return nil, refuse(404, "EntityNotExist.Role", "The specified Role not exists.")
			}
			trusted := trustRequest{
				federated: "acs:ram::" + provider.AccountID + ":oidc-provider/" + provider.Name,
				context:   map[string]string{"oidc:iss": provider.Issuer, "oidc:aud": token.Audience, "oidc:sub": token.Subject},
			}
			if role.trusts(trusted) != allowed {
				return nil, authenticationFailed("NoPermission", "There is no permission")
			}
			plan.roleName = role.Name
			answer := assumeRoleWithOIDCAnswer{assumedRoleAnswer: answerSession(c.server.openSession(plan))}
			answer.OIDCTokenInfo = oidcTokenInfo{
				Subject: token.Subject, Issuer: provider.Issuer, ClientIDs: strings.Join(provider.ClientIDs, ","),
			}
			if !token.Expires.IsZero() {
				answer.OIDCTokenInfo.ExpirationTime = token.Expires.UTC().Format(secondLayout)
			}
			return answer, nil
		},
	}
}

// checkOIDCToken finds the provider and the token that a call brings.
func (c *call) checkOIDCToken() (IdentityProvider, IdentityToken, *APIError) {
	accountID, name, ok := parseArn(c.string("OIDCProviderArn"), "oidc-provider")
	switch {
	case !c.has("OIDCProviderArn"):
		return IdentityProvider{}, IdentityToken{}, refuse(400, "MissingOIDCProviderArn", "OIDCProviderArn is mandatory for this action.")
	case !ok:
		return IdentityProvider{}, IdentityToken{}, refuse(400, "InvalidParameter.OIDCProviderArn", "The parameter OIDCProviderArn is wrongly formed.")
	case len(c.string("OIDCToken")) < 4:
		return IdentityProvider{}, IdentityToken{}, authenticationFailed("OIDCToken.Invalid", "The OIDCToken can not empty.")
	}
	provider, known := c.server.directory.provider(accountID, name)
	if !known {
		return provider, IdentityToken{}, authenticationFailed("NoPermission", "No such OIDC Provider registered.")
	}
	i := slices.IndexFunc(provider.Tokens, func(t IdentityToken) bool { return equalText(t.Text, c.string("OIDCToken")) })
	if i < 0 {
		return provider, IdentityToken{}, authenticationFailed("OIDCToken.Invalid", "The Jwt content is invalid that cannot be recognized.")
	}
	token := provider.Tokens[i]
	switch {
	case !token.Expires.IsZero() && time.Now().After(token.Expires):
		return provider, token, authenticationFailed("OIDCToken.Expired", "This JsonWebToken is expired.")
	case !slices.Contains(provider.ClientIDs, token.Audience):
		return provider, token, authenticationFailed("OIDCToken.AudienceNotMatch", "Invalid audience.")
	}
	return provider, token, nil
}
