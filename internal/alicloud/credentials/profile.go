package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// profiles is the file of the command line tool.
type profiles struct {
	Current  string    `json:"current"`
	Profiles []profile `json:"profiles"`
	// file is where they were read.
	file string
}

type profile struct {
	Name            string `json:"name"`
	Mode            string `json:"mode"`
	AccessKeyID     string `json:"access_key_id"`
	AccessKeySecret string `json:"access_key_secret"`
	StsToken        string `json:"sts_token"`
	StsExpiration   int64  `json:"sts_expiration"`
	RegionID        string `json:"region_id"`
	RoleARN         string `json:"ram_role_arn"`
	SessionName     string `json:"ram_session_name"`
	ExpiredSeconds  int64  `json:"expired_seconds"`
	Policy          string `json:"policy"`
	ExternalID      string `json:"external_id"`
	StsRegion       string `json:"sts_region"`
	EnableVPC       bool   `json:"enable_vpc"`
	SourceProfile   string `json:"source_profile"`
	InstanceRole    string `json:"ram_role_name"`
	OIDCProviderARN string `json:"oidc_provider_arn"`
	OIDCTokenFile   string `json:"oidc_token_file"`
	ProcessCommand  string `json:"process_command"`
}

// Format tells which profile it is.
func (p profile) Format(state fmt.State, _ rune) {
	// A failed write to a formatter has nobody to be told to.
	_, _ = fmt.Fprintf(state, "profile %s", p.Name)
}

// environmentProfile is the profile that the environment names, or the current one
// of the file; nil if there is none.
func (o Options) environmentProfile(env variables) (source, error) {
	if env.on("ALIBABA_CLOUD_CLI_PROFILE_DISABLED") {
		return nil, nil
	}
	file := o.profileFile(env)
	name := env.first("ALIBABA_CLOUD_PROFILE", "ALICLOUD_PROFILE")
	from, err := o.profile(file, name)
	if named := env.first("ALIBABA_CLOUD_CONFIG_FILE", "ALICLOUD_SHARED_CREDENTIALS_FILE"); errors.Is(err, fs.ErrNotExist) && named == "" {
		// A profile of that name may be one of the shared credentials file.
		return nil, nil
	}
	if errors.Is(err, errEmptyProfile) && name == "" {
		return nil, nil
	}
	return from, err
}

// profileFile is the file of the command line tool.
func (o Options) profileFile(env variables) string {
	if o.ProfileFile != "" {
		if rest, below := strings.CutPrefix(o.ProfileFile, "~/"); below {
			return o.homeFile(rest)
		}
		return o.ProfileFile
	}
	if named := env.first("ALIBABA_CLOUD_CONFIG_FILE", "ALICLOUD_SHARED_CREDENTIALS_FILE"); named != "" {
		return named
	}
	return o.homeFile(".aliyun", "config.json")
}

// errEmptyProfile is a profile that was never filled in, as the command line tool
// makes one at its first start.
var errEmptyProfile = errors.New("the profile holds no key")

// profile is the source that a profile names; an empty name is the current one.
func (o Options) profile(file, name string) (source, error) {
	read, err := readProfiles(file)
	if err != nil {
		return nil, err
	}
	from, err := o.profileIn(read, read.choose(name), nil)
	if err != nil {
		return nil, fmt.Errorf("profile %q of %s: %w", read.choose(name), file, err)
	}
	return from, nil
}

// readProfiles reads the file. Errors show nothing of its text.
func readProfiles(file string) (profiles, error) {
	if file == "" {
		return profiles{}, fmt.Errorf("looking for profiles: there is no home directory: %w", fs.ErrNotExist)
	}
	text, err := readFile(file)
	if err != nil {
		return profiles{}, fmt.Errorf("looking for profiles: %w", err)
	}
	var read profiles
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &read); err != nil {
		// The decoder's text may quote the file.
		return profiles{}, fmt.Errorf("looking for profiles: %s is not the JSON of a configuration of the command line tool", file)
	}
	read.file = file
	return read, nil
}

func (read profiles) choose(name string) string {
	switch {
	case name != "":
		return name
	case read.Current != "":
		return read.Current
	default:
		return "default"
	}
}

func (read profiles) find(name string) *profile {
	index := slices.IndexFunc(read.Profiles, func(p profile) bool { return p.Name == name })
	if index < 0 {
		return nil
	}
	return &read.Profiles[index]
}

// The modes of a profile.
const (
	modeAccessKey     = "AK"
	modeToken         = "StsToken"
	modeRole          = "RamRoleArn"
	modeInstanceRole  = "EcsRamRole"
	modeRoleOfHost    = "RamRoleArnWithEcs"
	modeOIDC          = "OIDC"
	modeChainedRole   = "ChainableRamRoleArn"
	modeExternal      = "External"
	modeCloudSSO      = "CloudSSO"
	modeOAuth         = "OAuth"
	chainTextJoinedBy = " -> "
)

// profileIn is the source of one profile. Above are those whose source it is.
func (o Options) profileIn(read profiles, name string, above []string) (source, error) {
	if slices.Contains(above, name) {
		return nil, fmt.Errorf("its source is itself: %s", strings.Join(append(above, name), chainTextJoinedBy))
	}
	p := read.find(name)
	if p == nil {
		return nil, fmt.Errorf("there is no profile %q", name)
	}
	sts := o.STS
	if sts.Endpoint == "" && p.StsRegion != "" {
		sts.Region, sts.Endpoint, sts.EndpointOrigin = p.StsRegion, stsHost(p.StsRegion, p.EnableVPC), "sts_region of the profile"
	}
	role := Role{ARN: p.RoleARN, SessionName: p.SessionName, Seconds: p.ExpiredSeconds, Policy: p.Policy, ExternalID: p.ExternalID}
	switch p.Mode {
	case modeAccessKey, "":
		return p.key(false)
	case modeToken:
		return p.key(true)
	case modeCloudSSO, modeOAuth:
		if _, err := p.key(true); err != nil {
			return nil, err
		}
		return o.loginSource(read.file, name), nil
	case modeInstanceRole:
		return o.instanceSource(variables(o.LookupEnv), p.InstanceRole)
	case modeOIDC:
		return o.oidcSource(OIDCRole{Role: role, ProviderARN: p.OIDCProviderARN, TokenFile: p.OIDCTokenFile}, sts)
	case modeExternal:
		return processSource(p.ProcessCommand)
	case modeRole, modeRoleOfHost, modeChainedRole:
		if role.ARN == "" {
			return nil, errors.New("ram_role_arn is missing")
		}
		with, err := o.under(read, p, append(slices.Clone(above), name))
		if err != nil {
			return nil, err
		}
		return o.assumed(with, role, sts)
	default:
		return nil, fmt.Errorf("the mode %q is not supported; use AK, StsToken, RamRoleArn, EcsRamRole, RamRoleArnWithEcs, OIDC, ChainableRamRoleArn, External, CloudSSO or OAuth", p.Mode)
	}
}

// under is the source of the key with which a profile's role is assumed.
func (o Options) under(read profiles, p *profile, above []string) (source, error) {
	switch p.Mode {
	case modeRoleOfHost:
		return o.instanceSource(variables(o.LookupEnv), p.InstanceRole)
	case modeChainedRole:
		if p.SourceProfile == "" {
			return nil, errors.New("source_profile is missing")
		}
		return o.profileIn(read, p.SourceProfile, above)
	default:
		return p.key(false)
	}
}

// key is the key that stands in the profile. A token there belongs to it.
func (p *profile) key(temporary bool) (source, error) {
	var missing []string
	for _, part := range []struct {
		name, value string
		needed      bool
	}{{"access_key_id", p.AccessKeyID, true}, {"access_key_secret", p.AccessKeySecret, true}, {"sts_token", p.StsToken, temporary}} {
		if part.needed && part.value == "" {
			missing = append(missing, part.name)
		}
	}
	login := p.Mode == modeCloudSSO || p.Mode == modeOAuth
	switch {
	case len(missing) > 0 && login:
		return nil, fmt.Errorf("its login holds no key: %s", loginRemedy)
	case p.AccessKeyID == "" && p.AccessKeySecret == "":
		return nil, fmt.Errorf("%w: %s missing", errEmptyProfile, isOrAre(missing))
	case len(missing) > 0:
		return nil, fmt.Errorf("%s missing", isOrAre(missing))
	}
	found := key{CredentialValue: ecs.CredentialValue{AccessKeyID: p.AccessKeyID, AccessKeySecret: p.AccessKeySecret, SecurityToken: p.StsToken}}
	if p.StsExpiration > 0 && p.StsToken != "" {
		found.ends = time.Unix(p.StsExpiration, 0)
	}
	return fixed(found), nil
}

const loginRemedy = "log in again with the command line tool (aliyun configure --mode CloudSSO, or the mode of the profile)"

// loginSource gives the key that the last login left in the profile. It is read
// anew when it ends: the command line tool renews it there.
func (o Options) loginSource(file, name string) source {
	return func(ctx context.Context) (key, error) {
		read, err := readProfiles(file)
		if err != nil {
			return key{}, err
		}
		p := read.find(name)
		if p == nil {
			return key{}, fmt.Errorf("there is no profile %q in %s any more", name, file)
		}
		from, err := p.key(true)
		if err != nil {
			return key{}, fmt.Errorf("profile %q of %s: %w", name, file, err)
		}
		found, err := from(ctx)
		if err == nil && !found.ends.IsZero() && !o.Clock.Now().Before(found.ends) {
			return key{}, fmt.Errorf("profile %q of %s: its login has ended: %s", name, file, loginRemedy)
		}
		return found, err
	}
}

func isOrAre(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return strings.Join(names, " and ") + " are"
}

func sortedTexts(texts []string) []string {
	slices.Sort(texts)
	return texts
}

// Region returns the region of the profile that the options or the environment
// name, "" if there is none. It reads a file and calls nothing.
func Region(options Options) string {
	o := options.completed()
	env := variables(o.LookupEnv)
	if env.on("ALIBABA_CLOUD_CLI_PROFILE_DISABLED") && o.Profile == "" && o.ProfileFile == "" {
		return ""
	}
	name := o.Profile
	if name == "" {
		name = env.first("ALIBABA_CLOUD_PROFILE", "ALICLOUD_PROFILE")
	}
	read, err := readProfiles(o.profileFile(env))
	if err != nil {
		return ""
	}
	if p := read.find(read.choose(name)); p != nil {
		return p.RegionID
	}
	return ""
}
