package credentials

import (
	"fmt"
	"strings"
)

// variables are the environment, without blanks around values.
type variables func(string) (string, bool)

// first returns the first of the variables that holds more than blanks.
func (v variables) first(names ...string) string {
	for _, name := range names {
		if value, set := v(name); set {
			if value = strings.TrimSpace(value); value != "" {
				return value
			}
		}
	}
	return ""
}

// on reports whether a switch is set.
func (v variables) on(name string) bool {
	switch strings.ToLower(v.first(name)) {
	case "true", "1", "yes", "on":
		return true
	default:
		return false
	}
}

type keyVariables struct {
	accessKeyID, accessKeySecret, securityToken string
}

// keyFamilies are the families of variables, in the order in which they count. A
// family is taken whole: the other half of another belongs to another key.
func keyFamilies() []keyVariables {
	return []keyVariables{
		{"ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET", "ALIBABA_CLOUD_SECURITY_TOKEN"},
		{"ALICLOUD_ACCESS_KEY", "ALICLOUD_SECRET_KEY", "ALICLOUD_SECURITY_TOKEN"},
		{"ALIBABACLOUD_ACCESS_KEY_ID", "ALIBABACLOUD_ACCESS_KEY_SECRET", "ALIBABACLOUD_SECURITY_TOKEN"},
	}
}

// key returns the key in the environment, and whether there is one. A half-set
// family is an error that names what is missing.
func (v variables) key() (key, bool, error) {
	for _, family := range keyFamilies() {
		var found key
		found.AccessKeyID = v.first(family.accessKeyID)
		found.AccessKeySecret = v.first(family.accessKeySecret)
		found.SecurityToken = v.first(family.securityToken)
		switch {
		case found.AccessKeyID != "" && found.AccessKeySecret != "":
			return found, true, nil
		case found.AccessKeyID != "":
			return key{}, false, fmt.Errorf("%s is set but %s is not", family.accessKeyID, family.accessKeySecret)
		case found.AccessKeySecret != "":
			return key{}, false, fmt.Errorf("%s is set but %s is not", family.accessKeySecret, family.accessKeyID)
		}
	}
	return key{}, false, nil
}

// The variables of a pod that has a role by its service account.
const (
	variableRoleARN      = "ALIBABA_CLOUD_ROLE_ARN"
	variableOIDCProvider = "ALIBABA_CLOUD_OIDC_PROVIDER_ARN"
	variableOIDCFile     = "ALIBABA_CLOUD_OIDC_TOKEN_FILE"
	variableOIDCToken    = "ALIBABA_CLOUD_OIDC_TOKEN"
)

// oidc returns the role that the environment gives to an OIDC token, nil if none.
func (v variables) oidc() (*OIDCRole, error) {
	role := OIDCRole{
		Role:        Role{ARN: v.first(variableRoleARN), SessionName: v.first("ALIBABA_CLOUD_ROLE_SESSION_NAME")},
		ProviderARN: v.first(variableOIDCProvider), TokenFile: v.first(variableOIDCFile), Token: v.first(variableOIDCToken),
	}
	if role.ProviderARN == "" && role.TokenFile == "" && role.Token == "" {
		return nil, nil
	}
	var missing []string
	if role.ARN == "" {
		missing = append(missing, variableRoleARN)
	}
	if role.ProviderARN == "" {
		missing = append(missing, variableOIDCProvider)
	}
	if role.TokenFile == "" && role.Token == "" {
		missing = append(missing, variableOIDCFile)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("a role by OIDC token is set in part: %s is not set", strings.Join(missing, " and "))
	}
	return &role, nil
}

// roles are the roles that the environment asks to assume with the key found. A
// pod's role is the one that its token is for; only beside a key in the variables
// it is one to assume by that.
func (v variables) roles(besideKey bool) ([]Role, error) {
	arn := v.first("ALICLOUD_ASSUME_ROLE_ARN")
	if arn == "" && besideKey && v.first(variableOIDCProvider, variableOIDCFile, variableOIDCToken) == "" {
		arn = v.first(variableRoleARN)
	}
	if arn == "" {
		return nil, nil
	}
	seconds, err := wholeSeconds(v.first("ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION"))
	if err != nil {
		return nil, fmt.Errorf("ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION: %w", err)
	}
	return []Role{{
		ARN: arn, SessionName: v.first("ALICLOUD_ASSUME_ROLE_SESSION_NAME", "ALIBABA_CLOUD_ROLE_SESSION_NAME"), Seconds: seconds,
		ExternalID: v.first("ALIBABA_CLOUD_ROLE_EXTERNAL_ID"),
	}}, nil
}
