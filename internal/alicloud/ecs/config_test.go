package ecs

import (
	"fmt"
	"strings"
	"testing"
)

func TestNewNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	good := func() Config { return Config{Region: testRegion, Credentials: StaticCredentials("a", "b", "")} }
	for name, test := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"no credentials":         {func(c *Config) { c.Credentials = nil }, "no credentials"},
		"protocol":               {func(c *Config) { c.Protocol = "ftp" }, `protocol "ftp"`},
		"protocol in capitals":   {func(c *Config) { c.Protocol = "HTTPS" }, `protocol "HTTPS"`},
		"region with a dot":      {func(c *Config) { c.Region = "cn.hangzhou" }, `region "cn.hangzhou"`},
		"region with a slash":    {func(c *Config) { c.Region = "evil.example/cn" }, "region"},
		"endpoint with a path":   {func(c *Config) { c.Endpoints.ECS = "host/path" }, "ECS endpoint"},
		"endpoint with a query":  {func(c *Config) { c.Endpoints.VPC = "host?x=y" }, "VPC endpoint"},
		"endpoint with a scheme": {func(c *Config) { c.Endpoints.STS = "ftp://host" }, "STS endpoint"},
		"endpoint with spaces":   {func(c *Config) { c.Endpoints.ECS = "host name" }, "ECS endpoint"},
		"endpoint with a login":  {func(c *Config) { c.Endpoints.ECS = "http://user:hidden-password@host" }, "ECS endpoint"},
		"user agent with a line": {func(c *Config) { c.UserAgent = "a\r\nX-Evil: b" }, "user agent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := good()
			test.change(&config)
			client, err := New(config)
			if err == nil || client != nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hidden-password") {
				t.Errorf("%v", err)
			}
		})
	}
	client, err := New(good())
	if err != nil {
		t.Fatal(err)
	}
	client.Close()
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config       Config
		product      product
		region       string
		scheme, host string
	}{
		"vendor's, known region":       {Config{}, productECS, "cn-hangzhou", "https", "ecs-cn-hangzhou.aliyuncs.com"},
		"vendor's, new region":         {Config{}, productECS, "xx-new-1", "https", "ecs.xx-new-1.aliyuncs.com"},
		"vendor's VPC, new region":     {Config{}, productVPC, "xx-new-1", "https", "vpc.xx-new-1.aliyuncs.com"},
		"vendor's STS, new region":     {Config{}, productSTS, "xx-new-1", "https", "sts.xx-new-1.aliyuncs.com"},
		"given":                        {Config{Endpoints: Endpoints{ECS: "127.0.0.1:8080"}}, productECS, "cn-hangzhou", "https", "127.0.0.1:8080"},
		"given, of one product only":   {Config{Endpoints: Endpoints{ECS: "127.0.0.1:8080"}}, productSTS, "xx-new-1", "https", "sts.xx-new-1.aliyuncs.com"},
		"given with protocol":          {Config{Protocol: "http", Endpoints: Endpoints{ECS: "h"}}, productECS, "cn-hangzhou", "http", "h"},
		"given with a scheme":          {Config{Endpoints: Endpoints{VPC: "http://[::1]:80"}}, productVPC, "cn-hangzhou", "http", "[::1]:80"},
		"scheme beats the protocol":    {Config{Protocol: "http", Endpoints: Endpoints{VPC: "HTTPS://h/"}}, productVPC, "cn-hangzhou", "https", "h"},
		"region is no part of a given": {Config{Endpoints: Endpoints{ECS: "h:1"}}, productECS, "cn-beijing", "https", "h:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.config.Credentials = StaticCredentials("a", "b", "")
			client, err := New(test.config)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if scheme, host := client.endpoint(test.product, test.region); scheme != test.scheme || host != test.host {
				t.Errorf("%s://%s", scheme, host)
			}
		})
	}
}

func TestACallWithoutAnyRegionIsRefused(t *testing.T) {
	t.Parallel()
	client, err := New(Config{Credentials: StaticCredentials("a", "b", "")})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for name, call := range map[string]func() error{
		"zones":    func() error { _, err := client.Zones(soon(t), ""); return err },
		"regions":  func() error { _, err := client.Regions(soon(t)); return err },
		"identity": func() error { _, err := client.CallerIdentity(soon(t)); return err },
		"launch":   func() error { _, err := client.RunInstances(soon(t), launchInput()); return err },
		"read":     func() error { _, err := client.InstancesByID(soon(t), "", []string{"i-1"}); return err },
		"bad one":  func() error { _, err := client.Zones(soon(t), "no region"); return err },
	} {
		if err := call(); ClassOf(err) != ClassConfiguration || !strings.Contains(err.Error(), "region") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAClientShowsNothingOfItsCredentials(t *testing.T) {
	t.Parallel()
	config := Config{Region: testRegion, Credentials: StaticCredentials(testKeyID, testKeySecret, testToken)}
	client, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		assertNoSecret(t, fmt.Sprintf(verb, client))
		assertNoSecret(t, fmt.Sprintf(verb, config))
	}
}
