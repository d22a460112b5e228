package credentials

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// New chooses the source of credentials: what the options name, else the key in
// the environment, an OIDC token that the environment names, a profile of the
// command line tool, the shared credentials file, a credentials URI, and last the
// role of the instance. Files are read and nothing is called. What is set in part
// is an error that names what is missing; what is not set at all is one at the
// first use.
func New(options Options) (ecs.Credentials, error) {
	o := options.completed()
	named, err := o.named()
	if err != nil {
		return nil, err
	}
	env := variables(o.LookupEnv)
	chosen := named
	if chosen.source == nil {
		if chosen, err = o.fromEnvironment(env); err != nil {
			return nil, err
		}
	}
	roles := o.Roles
	if len(roles) == 0 {
		if roles, err = env.roles(chosen.environmentKey); err != nil {
			return nil, err
		}
	}
	from := chosen.source
	for index, role := range roles {
		if role.ARN == "" {
			return nil, fmt.Errorf("role %d to assume has no ARN", index+1)
		}
		if from, err = o.assumed(from, role, o.STS); err != nil {
			return nil, err
		}
	}
	return newCached(o.Clock, from), nil
}

// chosen is the source of the key that roles are assumed with.
type chosen struct {
	source source
	// environmentKey is set if it is the key in the environment's variables.
	environmentKey bool
}

// named is the source that the options name; it has no source if they name none.
func (o Options) named() (chosen, error) {
	var (
		names []string
		found chosen
		err   error
	)
	switch {
	case o.AccessKeyID != "" && o.AccessKeySecret == "":
		return chosen{}, errors.New("an AccessKey ID is given without its secret")
	case o.AccessKeyID == "" && o.AccessKeySecret != "":
		return chosen{}, errors.New("an AccessKey secret is given without its ID")
	case o.AccessKeyID == "" && o.SecurityToken != "":
		return chosen{}, errors.New("a security token is given without the AccessKey ID and secret that it belongs to")
	case o.AccessKeyID != "":
		names = append(names, "an AccessKey")
		found.source = fixed(key{CredentialValue: ecs.CredentialValue{AccessKeyID: o.AccessKeyID, AccessKeySecret: o.AccessKeySecret, SecurityToken: o.SecurityToken}})
	}
	if o.OIDC != nil {
		names = append(names, "a role by OIDC token")
		found.source, err = o.oidcSource(*o.OIDC, o.STS)
	}
	if o.URI != "" {
		names = append(names, "a credentials URI")
		found.source, err = uriSource(o.URI)
	}
	if o.InstanceRole != "" {
		names = append(names, "an instance role")
		found.source, err = o.instanceSource(variables(o.LookupEnv), o.InstanceRole)
	}
	if o.Profile != "" || o.ProfileFile != "" {
		names = append(names, "a profile")
		found.source, err = o.profile(o.profileFile(variables(o.LookupEnv)), o.Profile)
	}
	if len(names) > 1 {
		return chosen{}, fmt.Errorf("credentials are given twice: %s; give one of them", strings.Join(names, " and "))
	}
	return found, err
}

// fromEnvironment is the first source that the environment names.
func (o Options) fromEnvironment(env variables) (chosen, error) {
	inEnvironment, there, err := env.key()
	if err != nil || there {
		return chosen{source: fixed(inEnvironment), environmentKey: true}, err
	}
	role, err := env.oidc()
	if err != nil {
		return chosen{}, err
	}
	if role != nil {
		from, err := o.oidcSource(*role, o.STS)
		return chosen{source: from}, err
	}
	for _, look := range []func(variables) (source, error){o.environmentProfile, o.environmentFile} {
		if from, err := look(env); from != nil || err != nil {
			return chosen{source: from}, err
		}
	}
	if uri := env.first("ALIBABA_CLOUD_CREDENTIALS_URI", "ALICLOUD_CREDENTIALS_URI"); uri != "" {
		from, err := uriSource(uri)
		return chosen{source: from}, err
	}
	if env.on("ALIBABA_CLOUD_ECS_METADATA_DISABLED") {
		return chosen{source: o.nothing(env, errors.New("the instance metadata service is switched off by ALIBABA_CLOUD_ECS_METADATA_DISABLED"))}, nil
	}
	instanceRole := env.first("ALIBABA_CLOUD_ECS_METADATA", "ALICLOUD_ECS_ROLE_NAME")
	from, err := o.instanceSource(env, instanceRole)
	if instanceRole != "" || err != nil {
		return chosen{source: from}, err
	}
	return chosen{source: func(ctx context.Context) (key, error) {
		found, err := from(ctx)
		if err != nil && ctx.Err() == nil {
			return o.nothing(env, err)(ctx)
		}
		return found, err
	}}, nil
}

// ErrNone is in the chain of an error where no source had credentials.
var ErrNone = errors.New("no credentials")

// nothing is where no credentials are, and says where they were looked for; last is what
// the last place, the role of the instance, failed of.
func (o Options) nothing(env variables, last error) source {
	places := make([]string, 0, len(keyFamilies()))
	for _, family := range keyFamilies() {
		places = append(places, family.accessKeyID+" and "+family.accessKeySecret)
	}
	looked := []string{
		"in the environment (" + strings.Join(places, ", ") + ")",
		"for an OIDC token (" + variableOIDCProvider + ", " + variableOIDCFile + ")",
		o.profilePlace(env),
		o.sharedPlace(env),
		"at a credentials URI (ALIBABA_CLOUD_CREDENTIALS_URI)",
	}
	return func(context.Context) (key, error) {
		// What ended the last look is no deadline of the caller's.
		return key{}, fmt.Errorf("%w: the provider's configuration gives none, and nothing was found %s; nor has this host the role of an instance: %s",
			ErrNone, strings.Join(looked, ", "), last.Error())
	}
}

// profilePlace is where profiles of the command line tool are looked for.
func (o Options) profilePlace(env variables) string {
	if env.on("ALIBABA_CLOUD_CLI_PROFILE_DISABLED") {
		return "in a profile (which ALIBABA_CLOUD_CLI_PROFILE_DISABLED switches off)"
	}
	file := o.profileFile(env)
	if file == "" {
		file = "ALIBABA_CLOUD_CONFIG_FILE"
	}
	return "in a profile (" + file + ")"
}

// sharedPlace is where the shared credentials file is looked for.
func (o Options) sharedPlace(env variables) string {
	file := o.sharedFile(env)
	if file == "" {
		file = "ALIBABA_CLOUD_CREDENTIALS_FILE"
	}
	return "in the shared credentials file (" + file + ")"
}

// fixed always gives the same key.
func fixed(always key) source {
	return func(context.Context) (key, error) { return always, nil }
}

// homeFile is a file below the user's home; "" without a home.
func (o Options) homeFile(parts ...string) string {
	if o.HomeDirectory == "" {
		return ""
	}
	return filepath.Join(append([]string{o.HomeDirectory}, parts...)...)
}

// wholeSeconds reads a number of seconds; empty is 0.
func wholeSeconds(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	duration, err := time.ParseDuration(text + "s")
	if err != nil || duration < 0 || duration%time.Second != 0 {
		return 0, errors.New("not a number of seconds")
	}
	return int64(duration / time.Second), nil
}
