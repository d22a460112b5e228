package ecsemulator_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// metadata makes one call of the metadata service.
func metadata(t *testing.T, method, target string, header map[string]string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func withMetadata(t *testing.T) *ecsemulator.Server {
	t.Helper()
	return still(t, ecsemulator.Options{
		MetadataAddress: "127.0.0.1:0", Roles: []ecsemulator.Role{deployer(t, `{"Service":"ecs.aliyuncs.com"}`, `{}`)},
	})
}

// Source: ecs-api 6.4 (the page "Access instance metadata").
func TestMetadata(t *testing.T) {
	t.Parallel()
	server := withMetadata(t)
	c := newClient(t, server)
	base := server.MetadataURL() + "/latest/"
	if status, _ := metadata(t, http.MethodGet, base+"meta-data/instance-id", nil); status != 404 {
		t.Errorf("%d without an instance", status)
	}
	id := c.run(values{
		"UserData": base64.StdEncoding.EncodeToString([]byte("#!/bin/sh")), "HostName": "node-1", "SpotStrategy": "SpotAsPriceGo",
	})
	for path, want := range map[string]string{
		"meta-data/instance-id": id, "meta-data/region-id": "cn-hangzhou", "meta-data/hostname": "node-1", "meta-data/image-id": "m-acme2",
		"meta-data/instance/instance-type": "ecs.g7.large", "meta-data/private-ipv4": server.Instances()[0].PrivateAddress,
		"meta-data/zone-id": server.Instances()[0].ZoneID, "user-data": "#!/bin/sh", "meta-data/instance/": "instance-name\ninstance-type",
	} {
		if status, body := metadata(t, http.MethodGet, base+path, nil); status != 200 || body != want {
			t.Errorf("%s: %d %q, want %q", path, status, body, want)
		}
	}
	for _, path := range []string{"meta-data/none", "meta-data/ram/security-credentials/", "meta-data/instance/spot/termination-time", "none"} {
		if status, _ := metadata(t, http.MethodGet, base+path, nil); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, _ := metadata(t, http.MethodPost, base+"meta-data/instance-id", nil); status != 405 {
		t.Errorf("POST: %d", status)
	}
	var document map[string]string
	if _, body := metadata(t, http.MethodGet, base+"dynamic/instance-identity/document", nil); json.Unmarshal([]byte(body), &document) != nil ||
		document["instance-id"] != id || document["owner-account-id"] != ecsemulator.DefaultAccountID {
		t.Errorf("document %s", body)
	}
	befall(t, server, id, ecsemulator.Incident{Kind: ecsemulator.IncidentReclaim})
	want := server.Now().Add(5 * time.Minute)
	_, body := metadata(t, http.MethodGet, base+"meta-data/instance/spot/termination-time", nil)
	if ends, err := time.Parse("2006-01-02T15:04:05Z", body); err != nil || want.Sub(ends).Abs() > 2*time.Second {
		t.Errorf("termination-time %q, want about %s", body, want)
	}
}

func TestMetadataTokens(t *testing.T) {
	t.Parallel()
	const ttl, token = "X-aliyun-ecs-metadata-token-ttl-seconds", "X-aliyun-ecs-metadata-token"
	for name, row := range map[string]struct {
		own    values
		method string
		header map[string]string
		status int
	}{
		"a token":            {nil, http.MethodPut, map[string]string{ttl: "21600"}, 200},
		"no lifetime":        {nil, http.MethodPut, nil, 400},
		"no time":            {nil, http.MethodPut, map[string]string{ttl: "0"}, 400},
		"too long":           {nil, http.MethodPut, map[string]string{ttl: "21601"}, 400},
		"no number":          {nil, http.MethodPut, map[string]string{ttl: "long"}, 400},
		"forwarded":          {nil, http.MethodPut, map[string]string{ttl: "60", "X-Forwarded-For": "10.0.0.1"}, 403},
		"got, not put":       {nil, http.MethodGet, map[string]string{ttl: "60"}, 405},
		"endpoint disabled":  {values{"HttpEndpoint": "disabled"}, http.MethodPut, map[string]string{ttl: "60"}, 404},
		"where it is needed": {values{"HttpTokens": "required"}, http.MethodPut, map[string]string{ttl: "60"}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := withMetadata(t)
			newClient(t, server).run(row.own)
			base := server.MetadataURL() + "/latest/"
			status, issued := metadata(t, row.method, base+"api/token", row.header)
			if status != row.status {
				t.Fatalf("%d %s, want %d", status, issued, row.status)
			}
			if status != 200 {
				return
			}
			bare := 200
			if row.own["HttpTokens"] == "required" {
				bare = 403
			}
			for given, want := range map[string]int{issued: 200, "made up": 403, "": bare} {
				header := map[string]string{token: given}
				if given == "" {
					header = nil
				}
				if status, _ := metadata(t, http.MethodGet, base+"meta-data/instance-id", header); status != want {
					t.Errorf("token %q: %d, want %d", given, status, want)
				}
			}
		})
	}
}

func TestTheRoleOfAnInstanceWorksOnTheAPI(t *testing.T) {
	t.Parallel()
	server := withMetadata(t)
	c := newClient(t, server)
	id := c.run(values{"RamRoleName": "deployer"})
	base := server.MetadataURL() + "/latest/meta-data/ram/security-credentials/"
	if _, body := metadata(t, http.MethodGet, base, nil); body != "deployer" {
		t.Errorf("role %q", body)
	}
	var key struct {
		AccessKeyID                                                   string `json:"AccessKeyId"`
		Code, AccessKeySecret, SecurityToken, Expiration, LastUpdated string
	}
	_, body := metadata(t, http.MethodGet, base+"deployer", nil)
	if err := json.Unmarshal([]byte(body), &key); err != nil || key.Code != "Success" || key.LastUpdated == "" {
		t.Fatalf("%v in %s", err, body)
	}
	if _, again := metadata(t, http.MethodGet, base+"deployer", nil); again != body {
		t.Error("another key each time")
	}
	role := newClient(t, server)
	role.id, role.secret = key.AccessKeyID, key.AccessKeySecret
	token := values{"SecurityToken": key.SecurityToken}
	if got := role.ok("GetCallerIdentity", token).text(t, "Arn"); got != emulatorAccount+":assumed-role/deployer/"+id {
		t.Errorf("Arn %s", got)
	}
	role.ok("DescribeInstances", token)
	role.refused("StopInstance", values{"InstanceId": id}.with(token), "Forbidden.RAM", 403)
	if err := server.ExpireAccessKey(key.AccessKeyID); err != nil {
		t.Fatal(err)
	}
	role.refused("DescribeInstances", token, "InvalidSecurityToken.Expired", 400)
	if _, renewed := metadata(t, http.MethodGet, base+"deployer", nil); renewed == body || !strings.Contains(renewed, "Success") {
		t.Errorf("not renewed: %s", renewed)
	}
}

// Source: RunInstances page (ecs-api 2.1, RamRoleName).
func TestARoleThatDoesNotTrustECSIsRefused(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{Roles: []ecsemulator.Role{deployer(t, `{"RAM":"*"}`, `{}`)}})
	c := newClient(t, server)
	c.refused("RunInstances", launch().with(values{"RamRoleName": "deployer"}), "InvalidRamRole.NotEcsRole", 401)
	c.refused("RunInstances", launch().with(values{"RamRoleName": "nobody"}), "InvalidRamRole.NotFound", 404)
}

func TestTheMetadataServiceSpeaksForAChosenInstance(t *testing.T) {
	t.Parallel()
	server := withMetadata(t)
	c := newClient(t, server)
	control := &ecsemulator.ControlClient{URL: server.ControlURL()}
	first := c.run(nil)
	step(t, server, time.Second)
	second := c.run(nil)
	ask := func(prefix string) string {
		_, body := metadata(t, http.MethodGet, server.MetadataURL()+prefix+"/latest/meta-data/instance-id", nil)
		return body
	}
	if got := ask(""); got != second {
		t.Errorf("%s, want the newest %s", got, second)
	}
	if got := ask("/" + first); got != first {
		t.Errorf("%s by its path, want %s", got, first)
	}
	if err := control.SetMetadataInstance(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if got, err := control.MetadataInstance(t.Context()); err != nil || got != first || ask("") != first {
		t.Errorf("%s, want the chosen %s: %v", got, first, err)
	}
	if err := control.SetMetadataInstance(t.Context(), "i-none"); !errors.Is(err, ecsemulator.ErrNotFound) {
		t.Errorf("one that is not there: %v", err)
	}
	if start(t, ecsemulator.Options{}).MetadataURL() != "" {
		t.Error("there is a metadata service that nobody asked for")
	}
}
