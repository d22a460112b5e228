package ecsemulator_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	ecs1 "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
	vpc1 "github.com/aliyun/alibaba-cloud-sdk-go/services/vpc"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// marker is user data that no log may show.
const marker = "marker-that-must-not-be-seen"

// conformanceStep is one call of a scenario, in the words of the API: parameters nested as in JSON, {names} for what earlier steps kept.
type conformanceStep struct {
	action  string
	request object
	// code and status are those of a refusal; without code the call must succeed.
	code   string
	status int
	// want are values of the answer by path, keep are paths of it whose values later steps use.
	want map[string]any
	keep map[string]string
	// after is virtual time that passes before the call.
	after time.Duration
}

// The same scenario, told through two SDKs against two servers that make the same ids, must get the same answers and leave the same
// journal. Source of the expectations: the pages of the actions.
func TestTwoIndependentSDKsAgree(t *testing.T) {
	t.Parallel()
	// The first SDK fills its tables of hosts on first use, without a lock.
	ecs1.GetEndpointMap()
	vpc1.GetEndpointMap()
	for name, scenario := range conformanceScenarios() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// In the middle of a second, so that both see the same one: their clocks, which stand all but still, pass their origin
			// when the wall clock does.
			origin := time.Now().Truncate(time.Minute).Add(30*time.Second + 500*time.Millisecond)
			told := map[string][]sdkAnswer{}
			journals := map[string][]string{}
			for _, sdk := range []string{"alibaba-cloud-sdk-go", "alibabacloud-go"} {
				told[sdk], journals[sdk] = tell(t, sdk, origin, scenario)
			}
			for n, step := range scenario {
				one, other := told["alibaba-cloud-sdk-go"][n], told["alibabacloud-go"][n]
				if one.code != other.code || one.status != other.status {
					t.Errorf("step %d, %s: %s (%d) and %s (%d)", n+1, step.action, one.code, one.status, other.code, other.status)
				}
				for _, difference := range differences(step.action, one.document, other.document) {
					t.Errorf("step %d: the SDKs disagree: %s", n+1, difference)
				}
			}
			if one, other := journals["alibaba-cloud-sdk-go"], journals["alibabacloud-go"]; !slices.Equal(one, other) {
				t.Errorf("the journals differ:\n%q\n%q", one, other)
			}
		})
	}
}

// tell plays a scenario through one SDK.
func tell(t *testing.T, sdk string, origin time.Time, scenario []conformanceStep) (answers []sdkAnswer, journal []string) {
	t.Helper()
	made := 0
	server := still(t, ecsemulator.Options{ClockOrigin: origin, NewID: func() string { made++; return fmt.Sprintf("%017d", made) }})
	client := callers(t, server)[sdk]
	kept := map[string]string{
		"in an hour": server.Now().Add(time.Hour).Format("2006-01-02T15:04:05Z"),
		"user data":  base64.StdEncoding.EncodeToString([]byte(marker)),
	}
	for n, s := range scenario {
		step(t, server, s.after)
		if s.action == "withdraw the next launch" {
			if _, err := server.AddRule(ecsemulator.Rule{Kind: ecsemulator.RuleWithdraw, Seconds: 10, Times: 1}); err != nil {
				t.Fatal(err)
			}
			answers = append(answers, sdkAnswer{})
			continue
		}
		answer := client.call(t, s.action, filledIn(t, s.request, kept))
		if answer.code != s.code || answer.status != s.status {
			t.Fatalf("%s, step %d, %s: %s (%d), want %s (%d)", sdk, n+1, s.action, answer.code, answer.status, s.code, s.status)
		}
		for path, want := range filledIn(t, s.want, kept) {
			if got := dig(answer.document, path); fmt.Sprint(got) != fmt.Sprint(want) {
				text, _ := json.Marshal(answer.document)
				t.Errorf("%s, step %d, %s: %s is %v, want %v\n%s", sdk, n+1, s.action, path, got, want, text)
			}
		}
		for name, path := range s.keep {
			kept[name] = fmt.Sprint(dig(answer.document, path))
		}
		answers = append(answers, answer)
	}
	for _, effect := range server.Journal() {
		journal = append(journal, strings.Join([]string{effect.Effect, effect.Action, effect.InstanceID, effect.Detail}, " "))
	}
	if text := fmt.Sprint(server.Calls()); strings.Contains(text, marker) || strings.Contains(text, kept["user data"]) {
		t.Errorf("%s: the request log shows the user data", sdk)
	}
	return answers, journal
}

// filledIn replaces {names} in all strings of a request.
func filledIn(t *testing.T, request object, kept map[string]string) object {
	t.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	filled := string(text)
	for name, value := range kept {
		filled = strings.ReplaceAll(filled, "{"+name+"}", value)
	}
	document := object{}
	decoder := json.NewDecoder(strings.NewReader(filled))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	return document
}

// dig follows a path such as Instances.Instance.0.Status; "#" gives the length of a list, and a missing list is as long as an empty one.
func dig(document any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		switch here := document.(type) {
		case object:
			document = here[part]
		case []any:
			n, err := strconv.Atoi(part)
			switch {
			case part == "#":
				return len(here)
			case err != nil || n >= len(here):
				return nil
			}
			document = here[n]
		case nil:
			if part == "#" {
				return 0
			}
			return nil
		default:
			return reflect.Invalid
		}
	}
	return document
}

// anInstance is the least that RunInstances needs, and more.
func anInstance(more object) object {
	request := object{
		"InstanceType": "ecs.g7.large", "ImageId": "m-acme2", "VSwitchId": "vsw-a", "SecurityGroupId": "sg-1",
	}
	for name, value := range more {
		if value == nil {
			delete(request, name)
			continue
		}
		request[name] = value
	}
	return request
}

// named is the request of an action that takes one instance.
func named(more object) object {
	request := object{"InstanceId": "{id}"}
	for name, value := range more {
		request[name] = value
	}
	return request
}

// listed is the request of an action that takes a JSON array of one instance.
func listed(more object) object {
	request := object{"InstanceIds": `["{id}"]`}
	for name, value := range more {
		request[name] = value
	}
	return request
}

// launched is the step that most scenarios begin with.
func launched(more object) conformanceStep {
	return conformanceStep{
		action: "RunInstances", request: anInstance(more), want: map[string]any{"InstanceIdSets.InstanceIdSet.#": 1},
		keep: map[string]string{"id": "InstanceIdSets.InstanceIdSet.0"},
	}
}

// became is the step that asserts an instance's status.
func became(status string, after time.Duration) conformanceStep {
	return conformanceStep{
		action: "DescribeInstances", request: listed(nil), after: after, want: map[string]any{"Instances.Instance.0.Status": status},
	}
}

// done is a call that succeeds.
func done(action string, request object) conformanceStep {
	return conformanceStep{action: action, request: request}
}

// denied is a call that is refused.
func denied(action string, request object, code string, status int) conformanceStep {
	return conformanceStep{action: action, request: request, code: code, status: status}
}
