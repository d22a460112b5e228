package ecsemulator_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	openapi "github.com/alibabacloud-go/darabonba-openapi/v2/client"
	ecs7 "github.com/alibabacloud-go/ecs-20140526/v7/client"
	"github.com/alibabacloud-go/tea/tea"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	ecs1 "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

const marker = "marker-that-must-not-be-seen"

// sdk is what the story below needs of a client library.
type sdk interface {
	run(name, userData string) (string, error)
	list(tagKey, tagValue string) ([]string, error)
	status(id string) (string, error)
	tag(id, key, value string) error
	delete(id string) error
}

func TestTwoIndependentSDKsAgree(t *testing.T) {
	t.Parallel()
	stories := map[string][]string{}
	for name, newSDK := range map[string]func(*testing.T, *ecsemulator.Server) sdk{"v1": newV1, "v7": newV7} {
		server := start(t, ecsemulator.Options{})
		library := newSDK(t, server)
		stories[name] = tell(t, server, library)
		effects := []string{}
		for _, effect := range server.Journal() {
			effects = append(effects, effect.Effect+" "+effect.Action+" "+effect.Detail)
		}
		stories[name] = append(stories[name], effects...)
		if text := fmt.Sprint(server.Calls()); strings.Contains(text, marker) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(marker))) {
			t.Errorf("%s: the request log shows the user data", name)
		}
	}
	if !slices.Equal(stories["v1"], stories["v7"]) {
		t.Errorf("the SDKs disagree:\nv1: %q\nv7: %q", stories["v1"], stories["v7"])
	}
	want := []string{
		"status Pending", "status Running", "listed 1", "deleted", "status ", "listed 0", "delete again InvalidInstanceId.NotFound",
		"created RunInstances ", "tagged TagResources team", "releasing DeleteInstance ", "gone  ",
	}
	if !slices.Equal(stories["v1"], want) {
		t.Errorf("story\n%q\nwant\n%q", stories["v1"], want)
	}
}

func tell(t *testing.T, server *ecsemulator.Server, library sdk) []string {
	t.Helper()
	var story []string
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	status := func(id string) {
		text, err := library.status(id)
		must(err)
		story = append(story, "status "+text)
	}
	list := func() {
		ids, err := library.list("team", "a b*~/ü")
		must(err)
		story = append(story, fmt.Sprintf("listed %d", len(ids)))
	}
	id, err := library.run("worker-1", base64.StdEncoding.EncodeToString([]byte(marker)))
	must(err)
	status(id)
	must(library.tag(id, "team", "a b*~/ü"))
	step(t, server, time.Minute)
	status(id)
	list()
	must(library.delete(id))
	story = append(story, "deleted")
	step(t, server, time.Minute)
	status(id)
	list()
	err = library.delete(id)
	if err == nil || !strings.Contains(err.Error(), "InvalidInstanceId.NotFound") {
		t.Fatalf("delete again: %v", err)
	}
	return append(story, "delete again InvalidInstanceId.NotFound")
}

type v1 struct{ *ecs1.Client }

func newV1(t *testing.T, server *ecsemulator.Server) sdk {
	t.Helper()
	c, err := ecs1.NewClientWithAccessKey("cn-hangzhou", ecsemulator.DefaultAccessKeyID, ecsemulator.DefaultAccessKeySecret)
	if err != nil {
		t.Fatal(err)
	}
	c.Domain = server.Endpoint()
	return v1{c}
}

func (c v1) run(name, userData string) (string, error) {
	r := ecs1.CreateRunInstancesRequest()
	r.InstanceName, r.UserData, r.InstanceType, r.ImageFamily = name, userData, "ecs.g7.large", "acme-node"
	r.VSwitchId, r.SecurityGroupIds, r.ClientToken = "vsw-a", &[]string{"sg-1", "sg-2"}, "token"
	r.SystemDiskSize, r.SystemDiskCategory, r.Amount = "40", "cloud_essd", requests.NewInteger(1)
	r.DataDisk = &[]ecs1.RunInstancesDataDisk{{Size: "20", Category: "cloud_essd"}}
	answer, err := c.RunInstances(r)
	if err != nil {
		return "", err
	}
	return answer.InstanceIdSets.InstanceIdSet[0], nil
}

func (c v1) list(key, value string) ([]string, error) {
	r := ecs1.CreateDescribeInstancesRequest()
	r.Tag = &[]ecs1.DescribeInstancesTag{{Key: key, Value: value}}
	answer, err := c.DescribeInstances(r)
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, i := range answer.Instances.Instance {
		ids = append(ids, i.InstanceId)
	}
	return ids, nil
}

func (c v1) status(id string) (string, error) {
	r := ecs1.CreateDescribeInstancesRequest()
	r.InstanceIds = `["` + id + `"]`
	answer, err := c.DescribeInstances(r)
	if err != nil || len(answer.Instances.Instance) == 0 {
		return "", err
	}
	return answer.Instances.Instance[0].Status, nil
}

func (c v1) tag(id, key, value string) error {
	r := ecs1.CreateTagResourcesRequest()
	r.ResourceType, r.ResourceId, r.Tag = "instance", &[]string{id}, &[]ecs1.TagResourcesTag{{Key: key, Value: value}}
	_, err := c.TagResources(r)
	return err
}

func (c v1) delete(id string) error {
	r := ecs1.CreateDeleteInstanceRequest()
	r.InstanceId, r.Force = id, requests.NewBoolean(true)
	_, err := c.DeleteInstance(r)
	return err
}

type v7 struct{ *ecs7.Client }

func newV7(t *testing.T, server *ecsemulator.Server) sdk {
	t.Helper()
	c, err := ecs7.NewClient(&openapi.Config{
		AccessKeyId: tea.String(ecsemulator.DefaultAccessKeyID), AccessKeySecret: tea.String(ecsemulator.DefaultAccessKeySecret),
		Endpoint: tea.String(server.Endpoint()), Protocol: tea.String("http"), RegionId: tea.String("cn-hangzhou"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return v7{c}
}

func (c v7) run(name, userData string) (string, error) {
	answer, err := c.RunInstances(&ecs7.RunInstancesRequest{
		RegionId: tea.String("cn-hangzhou"), InstanceName: tea.String(name), UserData: tea.String(userData),
		InstanceType: tea.String("ecs.g7.large"), ImageFamily: tea.String("acme-node"), VSwitchId: tea.String("vsw-a"),
		SecurityGroupIds: tea.StringSlice([]string{"sg-1", "sg-2"}), ClientToken: tea.String("token"), Amount: tea.Int32(1),
		SystemDisk: &ecs7.RunInstancesRequestSystemDisk{Size: tea.String("40"), Category: tea.String("cloud_essd")},
		DataDisk:   []*ecs7.RunInstancesRequestDataDisk{{Size: tea.Int32(20), Category: tea.String("cloud_essd")}},
	})
	if err != nil {
		return "", err
	}
	return tea.StringValue(answer.Body.InstanceIdSets.InstanceIdSet[0]), nil
}

func (c v7) list(key, value string) ([]string, error) {
	answer, err := c.DescribeInstances(&ecs7.DescribeInstancesRequest{
		RegionId: tea.String("cn-hangzhou"), Tag: []*ecs7.DescribeInstancesRequestTag{{Key: tea.String(key), Value: tea.String(value)}},
	})
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, i := range answer.Body.Instances.Instance {
		ids = append(ids, tea.StringValue(i.InstanceId))
	}
	return ids, nil
}

func (c v7) status(id string) (string, error) {
	answer, err := c.DescribeInstances(&ecs7.DescribeInstancesRequest{
		RegionId: tea.String("cn-hangzhou"), InstanceIds: tea.String(`["` + id + `"]`),
	})
	if err != nil || len(answer.Body.Instances.Instance) == 0 {
		return "", err
	}
	return tea.StringValue(answer.Body.Instances.Instance[0].Status), nil
}

func (c v7) tag(id, key, value string) error {
	_, err := c.TagResources(&ecs7.TagResourcesRequest{
		RegionId: tea.String("cn-hangzhou"), ResourceType: tea.String("instance"), ResourceId: tea.StringSlice([]string{id}),
		Tag: []*ecs7.TagResourcesRequestTag{{Key: tea.String(key), Value: tea.String(value)}},
	})
	return err
}

func (c v7) delete(id string) error {
	_, err := c.DeleteInstance(&ecs7.DeleteInstanceRequest{InstanceId: tea.String(id), Force: tea.Bool(true)})
	return err
}
