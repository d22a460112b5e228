package ecsemulator_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// restart closes a server and starts another one on its state file.
func restart(t *testing.T, server *ecsemulator.Server, options ecsemulator.Options) *ecsemulator.Server {
	t.Helper()
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	return still(t, options)
}

func TestEverythingOutlivesARestart(t *testing.T) {
	t.Parallel()
	options := ecsemulator.Options{StateFile: filepath.Join(t.TempDir(), "state.json")}
	server := still(t, options)
	c := newClient(t, server)
	kept := c.run(values{
		"ClientToken": "t", "Tag.1.Key": "a", "Tag.1.Value": "b", "DataDisk.1.Size": "40", "DataDisk.1.DeleteWithInstance": "false",
		"UserData": "aGVsbG8=", "InternetMaxBandwidthOut": "5", "KeyPairName": "acme-key", "SpotStrategy": "SpotAsPriceGo",
		"SpotInterruptionBehavior": "Stop", "NetworkInterface.1.VSwitchId": "vsw-a", "NetworkInterface.1.SecurityGroupId": "sg-1",
	})
	step(t, server, time.Hour)
	released := put(t, server, c, "Running")
	c.ok("DeleteInstance", values{"InstanceId": released, "Force": "true"})
	left := 1
	if err := server.SetStock(ecsemulator.Stock{InstanceType: "ecs.c7.large", StatusCategory: "WithStock", Left: &left}); err != nil {
		t.Fatal(err)
	}
	c.run(values{"InstanceType": "ecs.c7.large"})
	befall(t, server, kept, ecsemulator.Incident{Kind: ecsemulator.IncidentReclaim, Seconds: 60})
	befall(t, server, kept, ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: "financial"})
	if err := server.SetAccessKey(ecsemulator.AccessKey{ID: "eve", Secret: "s", UserName: "eve"}); err != nil {
		t.Fatal(err)
	}
	if err := server.SetUser(ecsemulator.User{Name: "eve", Policies: []ecsemulator.Policy{ecsemulator.AllowAll()}}); err != nil {
		t.Fatal(err)
	}
	if err := server.SetRole(deployer(t, `{"RAM":"*"}`, `{}`)); err != nil {
		t.Fatal(err)
	}
	eve := newClient(t, server)
	eve.id, eve.secret = "eve", "s"
	assumed := eve.ok("AssumeRole", assume(nil))
	reads := []string{"DescribeInstances", "DescribeDisks", "DescribeNetworkInterfaces", "DescribeVSwitches"}
	before := map[string]any{}
	for _, action := range reads {
		before[action] = strip(c.ok(action, nil))
	}
	instances, journal, now := server.Instances(), server.Journal(), server.Now()

	server = restart(t, server, options)
	c = newClient(t, server)
	for _, action := range reads {
		if after := strip(c.ok(action, nil)); !reflect.DeepEqual(after, before[action]) {
			t.Errorf("%s\nbefore %v\nafter  %v", action, before[action], after)
		}
	}
	if got := server.Instances(); !reflect.DeepEqual(got, instances) {
		t.Errorf("instances\nbefore %+v\nafter  %+v", instances, got)
	}
	if got := server.Journal(); !reflect.DeepEqual(got, journal) {
		t.Errorf("journal\nbefore %+v\nafter  %+v", journal, got)
	}
	if got := server.Now(); got.Before(now) || got.Sub(now) > time.Minute {
		t.Errorf("the clock shows %s after %s", got, now)
	}
	again := c.run(values{
		"ClientToken": "t", "Tag.1.Key": "a", "Tag.1.Value": "b", "DataDisk.1.Size": "40", "DataDisk.1.DeleteWithInstance": "false",
		"UserData": "aGVsbG8=", "InternetMaxBandwidthOut": "5", "KeyPairName": "acme-key", "SpotStrategy": "SpotAsPriceGo",
		"SpotInterruptionBehavior": "Stop", "NetworkInterface.1.VSwitchId": "vsw-a", "NetworkInterface.1.SecurityGroupId": "sg-1",
	})
	if again != kept {
		t.Errorf("the ClientToken is forgotten: %s after %s", again, kept)
	}
	c.refused("RunInstances", launch().with(values{"InstanceType": "ecs.c7.large"}), "OperationDenied.NoStock", 403)
	role, token := session(t, server, assumed)
	if got := role.ok("GetCallerIdentity", token).text(t, "IdentityType"); got != "AssumedRoleUser" {
		t.Errorf("identity %s", got)
	}
	step(t, server, time.Minute+5*time.Minute+ecsemulator.DefaultStopDuration)
	if got := c.status(kept); got != "Stopped" {
		t.Errorf("%q after the reclaim that was planned", got)
	}
	if got := c.status(released); got != "" {
		t.Errorf("the released one is %s", got)
	}
	other := c.run(nil)
	for _, i := range server.Instances() {
		if i.ID != other && i.PrivateAddress == addressOf(server, other) {
			t.Errorf("%s has the address of %s", other, i.ID)
		}
	}
}

func addressOf(server *ecsemulator.Server, id string) string {
	for _, i := range server.Instances() {
		if i.ID == id {
			return i.PrivateAddress
		}
	}
	return ""
}

// strip takes away what differs from call to call.
func strip(answer reply) map[string]any {
	delete(answer.document, "RequestId")
	return answer.document
}

func TestAFaultyStateFileIsRefused(t *testing.T) {
	t.Parallel()
	good := filepath.Join(t.TempDir(), "good.json")
	server := still(t, ecsemulator.Options{StateFile: good})
	newClient(t, server).run(nil)
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for name, row := range map[string]struct{ content, says string }{
		"newer":                  {strings.Replace(text, `"version":1`, `"version":2`, 1), "newer emulator"},
		"cut short":              {text[:len(text)/2], "damaged"},
		"empty":                  {"", "damaged"},
		"something else":         {`{"serial": 4}`, "no version"},
		"unknown part":           {strings.Replace(text, `"accounts"`, `"planets":[],"accounts"`, 1), "planets"},
		"unknown field":          {strings.Replace(text, `"http_tokens"`, `"colour":"red","http_tokens"`, 1), "colour"},
		"unknown type":           {strings.Replace(text, "ecs.g7.large", "ecs.none", 1), "ecs.none"},
		"unknown vswitch":        {strings.Replace(text, `"vswitch":["vsw-a"]`, `"vswitch":["vsw-none"]`, 1), "vsw-none"},
		"reference to nothing":   {strings.Replace(text, `"vswitch":["vsw-a"]`, `"vswitch":[]`, 1), "nothing"},
		"an instance of no life": {strings.Replace(text, `"timeline"`, `"planned":null,"timeline"`, 1), ""},
	} {
		path := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(path, []byte(row.content), 0o600); err != nil {
			t.Fatal(err)
		}
		server, err := ecsemulator.Start(t.Context(), ecsemulator.Options{StateFile: path})
		if row.says == "" { // what changes nothing is taken
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if err := server.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil {
			_ = server.Close()
			t.Errorf("%s was taken", name)
			continue
		}
		if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != row.content {
			t.Errorf("%s: the file was changed: %v", name, err)
		}
	}
}

func TestTheStateFileIsThePrivateOneOfItsOwner(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	options := ecsemulator.Options{StateFile: filepath.Join(folder, "state.json")}
	server := still(t, options)
	newClient(t, server).run(nil)
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(options.StateFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", err, info)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
	nowhere, err := ecsemulator.Start(t.Context(), ecsemulator.Options{StateFile: filepath.Join(folder, "no", "such", "state.json")})
	if err != nil {
		t.Fatal(err)
	}
	if nowhere.Close() == nil {
		t.Error("a state that cannot be saved was passed over in silence")
	}
}

// What is written while clients are at work is a whole state at every moment, and comes without a stop.
func TestTheStateIsSavedWhileClientsAreAtWork(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	log := &lockedBuffer{}
	server := start(t, ecsemulator.Options{StateFile: path, Logger: slog.New(slog.NewTextHandler(log, nil)), BootDuration: -1, ReleaseDuration: -1})
	done := make(chan struct{})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			c := newClient(t, server)
			for {
				select {
				case <-done:
					return
				default:
				}
				answer, err := c.try("RunInstances", launch().with(values{"Tag.1.Key": "a"}))
				if err != nil || answer.status != 200 {
					t.Errorf("%v %s", err, answer.body)
					return
				}
				id := answer.text(t, "InstanceIdSets", "InstanceIdSet", 0)
				if answer, err := c.try("DeleteInstance", values{"InstanceId": id, "Force": "true"}); err != nil || answer.status != 200 {
					t.Errorf("%v %s", err, answer.body)
					return
				}
			}
		})
	}
	seen, deadline := map[string]bool{}, time.After(20*time.Second)
	for len(seen) < 2 {
		select {
		case <-deadline:
			t.Fatalf("saved %d times", len(seen))
		case <-time.After(10 * time.Millisecond):
		}
		raw, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue
		}
		var document struct {
			Version int               `json:"version"`
			Journal []json.RawMessage `json:"journal"`
		}
		if err != nil || json.Unmarshal(raw, &document) != nil || document.Version != 1 {
			t.Fatalf("%v: %d bytes that are no state", err, len(raw))
		}
		seen[string(raw[:min(len(raw), 200)])] = true
	}
	close(done)
	clients.Wait()
	if strings.Contains(log.String(), "not saved") {
		t.Error("the log tells of a failure")
	}
}
