package credentials

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

const (
	// sessionName is how sessions are called that were given no name.
	sessionName = "terraform-provider-machine"
	// centralRegion is the region of calls to STS where none is known.
	centralRegion = "cn-hangzhou"
	// longestToken bounds an OIDC token (AssumeRoleWithOIDC: 4 to 20,000 characters).
	longestToken, shortestToken = 20000, 4
)

// assumed gives the key of a role's session, opened with the key of another source.
func (o Options) assumed(with source, role Role, sts STS) (source, error) {
	client, err := o.stsClient(newCached(o.Clock, with), sts)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (key, error) {
		value, ends, err := client.AssumeRole(ctx, role.session())
		if err != nil {
			return key{}, fmt.Errorf("assuming the role %s: %w", role.ARN, err)
		}
		return key{value, ends}, nil
	}, nil
}

func (role Role) session() ecs.RoleSession {
	name := role.SessionName
	if name == "" {
		name = sessionName
	}
	return ecs.RoleSession{RoleARN: role.ARN, SessionName: name, Duration: role.duration(), Policy: role.Policy, ExternalID: role.ExternalID}
}

// oidcSource gives the key of a session that a token opens.
func (o Options) oidcSource(role OIDCRole, sts STS) (source, error) {
	var missing []string
	for name, value := range map[string]string{"role ARN": role.ARN, "OIDC provider ARN": role.ProviderARN, "token or token file": role.TokenFile + role.Token} {
		if value == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("a role by OIDC token needs its %s", strings.Join(sortedTexts(missing), " and its "))
	}
	client, err := o.stsClient(ecs.StaticCredentials("", "", ""), sts)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (key, error) {
		token := role.Token
		if role.TokenFile != "" {
			// The file is written anew from time to time.
			text, err := readFile(role.TokenFile)
			if err != nil {
				return key{}, fmt.Errorf("reading the OIDC token: %w", err)
			}
			token = strings.TrimSpace(string(text))
		}
		if len(token) < shortestToken || len(token) > longestToken {
			return key{}, fmt.Errorf("the OIDC token has %d characters, and has to have %d to %d", len(token), shortestToken, longestToken)
		}
		value, ends, err := client.AssumeRoleWithOIDC(ctx, role.session(), role.ProviderARN, token)
		if err != nil {
			return key{}, fmt.Errorf("assuming the role %s by OIDC token: %w", role.ARN, err)
		}
		return key{value, ends}, nil
	}, nil
}

// stsClient returns the client that opens sessions with these credentials.
func (o Options) stsClient(with ecs.Credentials, sts STS) (*ecs.Client, error) {
	env := variables(o.LookupEnv)
	region := sts.Region
	endpoint, origin := sts.Endpoint, sts.EndpointOrigin
	if endpoint == "" {
		origin = ""
		regional := env.first("ALIBABA_CLOUD_STS_REGION")
		overVPC := env.on("ALIBABA_CLOUD_VPC_ENDPOINT_ENABLED")
		switch {
		case regional != "":
			region, endpoint, origin = regional, stsHost(regional, overVPC), "ALIBABA_CLOUD_STS_REGION"
		case overVPC && region != "":
			endpoint = stsHost(region, true)
		case region == "":
			endpoint = "sts.aliyuncs.com"
		}
	}
	if region == "" {
		region = centralRegion
	}
	client, err := ecs.New(ecs.Config{
		Region: region, Credentials: with, Endpoints: ecs.Endpoints{STS: endpoint}, EndpointOrigins: ecs.Endpoints{STS: origin}, Protocol: sts.Protocol,
		UserAgent: sts.UserAgent, Transport: sts.Transport, Logger: o.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("reaching STS: %w", err)
	}
	return client, nil
}

func stsHost(region string, overVPC bool) string {
	if overVPC {
		return "sts-vpc." + region + ".aliyuncs.com"
	}
	return "sts." + region + ".aliyuncs.com"
}

// largestFile bounds what is read of a file; those that are meant are much smaller.
const largestFile = 1 << 20

func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory", name)
	case info.Size() > largestFile:
		return nil, fmt.Errorf("%s has %d bytes, which is too much", name, info.Size())
	}
	return os.ReadFile(name) //nolint:gosec // G304: the user names the file.
}

// direct reaches what is on this machine or beside it: without proxies, and
// without following anybody elsewhere.
func direct() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
