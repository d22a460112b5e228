package credentials

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// environmentFile is what the shared credentials file of the vendor's SDKs names;
// nil if there is none. Terraform's older provider takes the same variable for the
// command line tool's JSON, which is told by its first character.
func (o Options) environmentFile(env variables) (source, error) {
	named := env.first("ALIBABA_CLOUD_CREDENTIALS_FILE")
	file := o.sharedFile(env)
	if file == "" {
		return nil, nil
	}
	section := env.first("ALIBABA_CLOUD_PROFILE", "ALICLOUD_PROFILE")
	text, err := readFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && named == "" && section == "":
		return nil, nil
	case errors.Is(err, fs.ErrNotExist) && named == "":
		return nil, fmt.Errorf("there is no profile %q: neither %s nor %s exists", section, o.profileFile(env), file)
	case err != nil:
		return nil, fmt.Errorf("reading the shared credentials file: %w", err)
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")):
		return o.profile(file, section)
	}
	if section == "" {
		section = "default"
	}
	values, found := iniSection(text, section)
	if !found || strings.EqualFold(values["enable"], "false") {
		return nil, fmt.Errorf("the shared credentials file %s has no section [%s] that is enabled", file, section)
	}
	from, err := o.section(values)
	if err != nil {
		return nil, fmt.Errorf("section [%s] of the shared credentials file %s: %w", section, file, err)
	}
	return from, nil
}

// sharedFile is the shared credentials file; "" without one and without a home.
func (o Options) sharedFile(env variables) string {
	if named := env.first("ALIBABA_CLOUD_CREDENTIALS_FILE"); named != "" {
		return named
	}
	return o.homeFile(".alibabacloud", "credentials")
}

// iniSection reads a section of an ini file. Lines that are none are passed over.
func iniSection(text []byte, name string) (map[string]string, bool) {
	values, found, within := map[string]string{}, false, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			within = strings.TrimSpace(strings.Trim(line, "[]")) == name
			found = found || within
		case within:
			left, right, _ := strings.Cut(line, "=")
			values[strings.TrimSpace(left)] = strings.Trim(strings.TrimSpace(right), `"'`)
		}
	}
	return values, found
}

// section is the source that a section names.
func (o Options) section(values map[string]string) (source, error) {
	seconds, err := wholeSeconds(values["session_expiration"])
	if err != nil {
		return nil, fmt.Errorf("session_expiration: %w", err)
	}
	role := Role{
		ARN: values["role_arn"], SessionName: values["role_session_name"], Seconds: seconds, Policy: values["policy"], ExternalID: values["external_id"],
	}
	stands := profile{AccessKeyID: values["access_key_id"], AccessKeySecret: values["access_key_secret"], StsToken: values["security_token"]}
	switch values["type"] {
	case "access_key", "":
		return stands.key(false)
	case "sts":
		if stands.StsToken == "" {
			return nil, errors.New("security_token is missing")
		}
		return stands.key(false)
	case "ecs_ram_role":
		return o.instanceSource(variables(o.LookupEnv), values["role_name"])
	case "ram_role_arn":
		if role.ARN == "" {
			return nil, errors.New("role_arn is missing")
		}
		with, err := stands.key(false)
		if err != nil {
			return nil, err
		}
		return o.assumed(with, role, o.STS)
	case "oidc_role_arn":
		return o.oidcSource(OIDCRole{Role: role, ProviderARN: values["oidc_provider_arn"], TokenFile: values["oidc_token_file_path"]}, o.STS)
	case "credentials_uri":
		return uriSource(values["credentials_uri"])
	default:
		return nil, errors.New("its type is not supported; use access_key, sts, ecs_ram_role, ram_role_arn, oidc_role_arn or credentials_uri")
	}
}
