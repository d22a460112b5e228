package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// load makes the machines, lets the clients call for as long as the settings say, and gathers what they noted.
func load(ctx context.Context, s settings, e *emulator) (*outcome, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: s.clients, MaxConnsPerHost: s.clients}
	defer transport.CloseIdleConnections()
	web := &http.Client{Transport: transport, Timeout: 30 * time.Second}
	ids, err := makeMachines(ctx, &client{http: web, url: e.url, notes: newNotes()}, s.machines)
	if err != nil {
		return nil, err
	}
	if err := e.control.ResetCalls(ctx); err != nil {
		return nil, err
	}
	// These errors are asked for: every call with this parameter meets them.
	throttle := ecsemulator.Rule{
		Kind: ecsemulator.RuleError, Action: "DescribeZones", Parameters: map[string]string{"AcceptLanguage": "ja"},
		Code: "Throttling.User", HTTPStatus: 400,
	}
	if _, err := e.control.AddRule(ctx, throttle); err != nil {
		return nil, err
	}
	users := make([]*user, s.clients)
	began := time.Now()
	group, calling := errgroup.WithContext(ctx)
	for n := range users {
		random := rand.New(rand.NewPCG(uint64(n), 1)) //nolint:gosec // the same mix in every run
		users[n] = &user{client: &client{http: web, url: e.url, notes: newNotes()}, random: random, ids: ids, own: ids[n]}
		group.Go(func() error {
			for time.Since(began) < s.duration {
				if err := users[n].act(calling); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	took := time.Since(began)
	if err := e.control.Step(ctx, time.Hour); err != nil {
		return nil, err
	}
	for _, u := range users {
		for len(u.launched) > 0 {
			if err := u.release(ctx); err != nil {
				return nil, err
			}
		}
	}
	o := gather(users, took)
	return o, o.compare(ctx, &e.control, s.machines)
}

// makeMachines launches the machines that are there all the time.
func makeMachines(ctx context.Context, c *client, count int) ([]string, error) {
	var ids []string
	for len(ids) < count {
		batch := min(100, count-len(ids))
		got, err := c.do(ctx, launch(map[string]string{"Amount": strconv.Itoa(batch)}))
		if err != nil {
			return nil, err
		}
		if len(got.InstanceIDSets.InstanceIDSet) != batch {
			return nil, fmt.Errorf("the emulator did not launch: %s", got.Code)
		}
		ids = append(ids, got.InstanceIDSets.InstanceIDSet...)
	}
	return ids, nil
}

func launch(more map[string]string) call {
	parameters := map[string]string{
		"InstanceType": "ecs.g7.large", "ImageId": "m-acme2", "VSwitchId": "vsw-a", "SecurityGroupId": "sg-1", "UserData": "I2Nsb3VkLWNvbmZpZwo=",
		"Tag.1.Key": "fleet", "Tag.1.Value": "load", "Tag.2.Key": "machine/owner", "Tag.2.Value": "platform/prod",
	}
	for name, value := range more {
		parameters[name] = value
	}
	return call{action: "RunInstances", parameters: parameters}
}

// user is one client with its habits: it reads a lot, changes its own machine, and launches machines of short life.
type user struct {
	client *client
	random *rand.Rand
	ids    []string
	own    string
	count  int
	// launched are the machines of short life, oldest first.
	launched []launched
}

type launched struct {
	id string
	at time.Time
}

// shortLife is how long a machine lives at least. Clock factor times this is more than it needs to be past its first seconds, in which
// it cannot be released.
const shortLife = time.Second

// act does one thing, chosen by weight.
func (u *user) act(ctx context.Context) error {
	some := u.ids[u.random.IntN(len(u.ids))]
	one := func(action, code string, parameters map[string]string) error {
		_, err := u.client.do(ctx, call{action: action, parameters: parameters, code: code})
		return err
	}
	switch choice := u.random.IntN(100); {
	case choice < 30:
		return one("DescribeInstances", "", map[string]string{"InstanceIds": `["` + some + `"]`})
	case choice < 45:
		return one("DescribeInstances", "", map[string]string{"MaxResults": "100", "Tag.1.Key": "fleet", "Tag.1.Value": "load"})
	case choice < 50:
		return one("DescribeInstances", "", map[string]string{"PageSize": "50", "PageNumber": strconv.Itoa(1 + u.random.IntN(20))})
	case choice < 57:
		return one("DescribeInstanceStatus", "", map[string]string{"InstanceId.1": some})
	case choice < 64:
		return one("DescribeDisks", "", map[string]string{"InstanceId": some})
	case choice < 68:
		return one("DescribeVSwitches", "", nil)
	case choice < 71:
		return one("DescribeInstanceTypes", "", nil)
	case choice < 74:
		return one("DescribeAvailableResource", "", map[string]string{"DestinationResource": "InstanceType"})
	case choice < 82:
		return one("TagResources", "", map[string]string{
			"ResourceType": "instance", "ResourceId.1": u.own, "Tag.1.Key": "count", "Tag.1.Value": strconv.Itoa(u.random.IntN(9)),
		})
	case choice < 86:
		return one("ModifyInstanceAttribute", "", map[string]string{"InstanceId": u.own, "InstanceName": "name-" + strconv.Itoa(u.random.IntN(9))})
	case choice < 88:
		return one("DescribeZones", "Throttling.User", map[string]string{"AcceptLanguage": "ja"})
	case choice < 90:
		return one("StopInstance", "InvalidInstanceId.NotFound", map[string]string{"InstanceId": "i-none"})
	default:
		return u.launchAndRelease(ctx)
	}
}

func (u *user) launchAndRelease(ctx context.Context) error {
	u.count++
	wanted := launch(map[string]string{"ClientToken": fmt.Sprintf("%s-%d", u.own, u.count)})
	got, err := u.client.do(ctx, wanted)
	if err != nil {
		return err
	}
	again, err := u.client.do(ctx, wanted)
	if err != nil {
		return err
	}
	if len(got.InstanceIDSets.InstanceIDSet) != 1 || len(again.InstanceIDSets.InstanceIDSet) != 1 {
		return nil // noted already, as what it is
	}
	if got.InstanceIDSets.InstanceIDSet[0] != again.InstanceIDSets.InstanceIDSet[0] {
		return errors.New("one ClientToken launched two machines")
	}
	u.launched = append(u.launched, launched{got.InstanceIDSets.InstanceIDSet[0], time.Now()})
	if oldest := u.launched[0]; time.Since(oldest.at) > shortLife {
		return u.release(ctx)
	}
	return nil
}

// release releases the oldest of the machines of short life.
func (u *user) release(ctx context.Context) error {
	_, err := u.client.do(ctx, call{action: "DeleteInstance", parameters: map[string]string{"InstanceId": u.launched[0].id, "Force": "true"}})
	u.launched = u.launched[1:]
	return err
}
