package provider_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

var updateMessages = flag.Bool("update-messages", false, "write the messages that this version says to testdata")

// docs/messages.txt holds the texts of the source. A user sees them put together, with
// what ECS answered between them, and a sentence that is right by itself can be wrong
// there: so the failures that most users meet are kept as they are said.
func TestMessagesAreWhatTheyWere(t *testing.T) {
	t.Parallel()

	file := filepath.Join("testdata", "messages.txt")
	cases := saidCases()

	var (
		mu    sync.Mutex
		texts = map[string]string{}
	)

	// The group ends when all of its tests have.
	t.Run("said", func(t *testing.T) {
		for name, say := range cases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()

				text := rendered(say(t))

				mu.Lock()
				defer mu.Unlock()

				texts[name] = text
			})
		}
	})

	var got strings.Builder

	got.WriteString("What the provider says of the failures that most users meet. Written by\ngo test ./internal/provider -run '^TestMessagesAreWhatTheyWere$' -update-messages\n")

	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&got, "\n== %s\n\n%s", name, texts[name])
	}

	if *updateMessages {
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}

		return
	}

	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	sections := map[string]string{}

	for section := range strings.SplitSeq(string(want), "\n== ") {
		name, text, _ := strings.Cut(section, "\n\n")
		sections[name] = text
	}

	for name, text := range texts {
		if was, there := sections[name]; !there || strings.TrimSpace(was) != strings.TrimSpace(text) {
			t.Errorf("%s: it is said\n%s\nand was\n%s\nIf the new text is better, run this test with -update-messages.", name, text, was)
		}

		delete(sections, name)
	}

	// The first section is what the file says of itself.
	if len(sections) != 1 && len(texts) == len(cases) {
		t.Errorf("%s has messages that nobody says any more: %q", file, slices.Sorted(maps.Keys(sections)))
	}
}

// rendered is what was said, without what differs from run to run.
func rendered(said []*tfprotov6.Diagnostic) string {
	var text strings.Builder

	for _, diagnostic := range said {
		fmt.Fprintf(&text, "%s: %s\n", diagnostic.Severity, diagnostic.Summary)

		if diagnostic.Attribute != nil {
			fmt.Fprintf(&text, "at %s\n", diagnostic.Attribute)
		}

		text.WriteString(diagnostic.Detail + "\n")
	}

	changing := []struct{ pattern, name string }{
		// The end can come between two looks, or during one.
		{`; the last attempt failed: looking at [0-9a-z.-]+: DescribeInstances in [0-9a-z-]+: out of time before an answer`, ""},
		{`\b[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\b`, "REQUEST"},
		{`\bi-[0-9a-z]{20}\b`, "i-MACHINE"},
		{`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`, "UUID"},
		{`\d{4}-\d\d-\d\dT[0-9:.]+Z`, "TIME"},
		{`127\.0\.0\.1:\d+`, "ENDPOINT"},
		{`in the shared credentials file \([^)]*\)`, "in the shared credentials file (FILE)"},
		{`after \d+ attempts? over [0-9a-zµ.]+`, "after N attempts over DURATION"},
		{`begun [0-9a-z.]+ ago`, "begun DURATION ago"},
		{`asked [0-9a-z.]+ before`, "asked DURATION before"},
	}

	result := text.String()
	for _, part := range changing {
		result = regexp.MustCompile(part.pattern).ReplaceAllString(result, part.name)
	}

	return result
}

// wantedClass and wantedAllocation are what acctest.Class and acctest.Allocation
// write.
func wantedClass(changes arguments) arguments {
	return arguments{"name": "worker", "uid": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "alicloud": arguments{
		"region": ecsemulator.DefaultRegionID, "image_id": "m-acme2", "instance_types": []string{"ecs.g7.large"}, "vswitch_ids": []string{"vsw-a"}, "security_group_ids": []string{"sg-1"},
	}.with(changes)}
}

func wantedAllocation(class, changes arguments) arguments {
	return arguments{"name": "worker-a", "class": wantedClass(class)}.with(changes)
}

const (
	classType     = "machine_class"
	operationType = "machine_operation"
	readinessType = "machine_readiness"
)

// saidCases are failures by what a user would call them.
func saidCases() map[string]func(*testing.T) []*tfprotov6.Diagnostic {
	// soon is time enough for what fails, and not for what hangs.
	soon := arguments{"timeouts": arguments{"create": "1s"}}

	class := func(changes arguments) func(*testing.T) []*tfprotov6.Diagnostic {
		return func(t *testing.T) []*tfprotov6.Diagnostic {
			_, said := newProtocol(t, acctest.Start(t, ecsemulator.Options{})).create(t.Context(), classType, wantedClass(changes), true)

			return said
		}
	}

	// launch launches under a rule.
	launch := func(rule ecsemulator.Rule, class, machine arguments) func(*testing.T) []*tfprotov6.Diagnostic {
		return func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			cloud.Rule(t, rule)

			_, said := newProtocol(t, cloud).create(t.Context(), allocationType, wantedAllocation(class, machine), true)

			return said
		}
	}

	operate := func(wanted arguments) func(*testing.T) []*tfprotov6.Diagnostic {
		return func(t *testing.T) []*tfprotov6.Diagnostic {
			_, said := newProtocol(t, acctest.Start(t, ecsemulator.Options{})).create(t.Context(), operationType, wanted, true)

			return said
		}
	}

	reboot := arguments{"name": "kernel", "kind": "HostReboot", "provider_id": "cn-hangzhou.i-bp1abc"}

	return map[string]func(*testing.T) []*tfprotov6.Diagnostic{
		"a class with a key pair that is not there":   class(arguments{"key_pair_name": "nobodys"}),
		"a class with an image that is not there":     class(arguments{"image_id": "m-none"}),
		"a class with several things that are wrong":  class(arguments{"key_pair_name": "nobodys", "deployment_set_id": "ds-none", "image_id": "m-none", "vswitch_ids": []string{"vsw-a", "vsw-none"}}),
		"a class whose type is not sold in its zones": class(arguments{"instance_types": []string{"ecs.gn6v-c8g1.2xlarge"}, "vswitch_ids": []string{"vsw-c"}}),
		"a launch without capacity anywhere": launch(
			ecsemulator.Rule{Kind: ecsemulator.RuleSoldOut, Action: "RunInstances"},
			arguments{"instance_types": []string{"ecs.g7.large", "ecs.g6.large"}, "vswitch_ids": []string{"vsw-a", "vsw-b"}}, nil),
		"a launch beyond a quota": launch(
			ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: "QuotaExceed.AfterpayInstance", HTTPStatus: 400, Message: "Living afterpay instances quota exceeded."}, nil, nil),
		"a launch without its permission":         launch(ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "RunInstances"}, nil, nil),
		"a launch without the permission to look": launch(ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"}, nil, soon),
		"a launch to be stopped, without the permission": launch(
			ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "StopInstance"}, nil, arguments{"power_state": "stopped"}),
		"a launch to be protected, without the permission": launch(
			ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "ModifyInstanceAttribute"}, nil, arguments{"deletion_protection": true}),
		"a launch that is throttled to the end": launch(
			ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: "Throttling.User", HTTPStatus: 400, Message: "Request was denied due to user flow control."}, nil, soon),
		"a launch that may not be looked at any more": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{DeniedDescribe: ecsemulator.DenialForbidden}})
			_, said := deniedAfter(t, cloud, "RunInstances", func(p *protocol) (*kept, []*tfprotov6.Diagnostic) {
				return p.create(t.Context(), allocationType, wantedAllocation(nil, nil), true)
			})

			return said
		},
		"a release that may not be looked at any more": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := newProtocol(t, cloud).mustCreate(allocationType, wantedAllocation(nil, nil))
			_, said := deniedAfter(t, cloud, "DeleteInstance*", func(p *protocol) (*kept, []*tfprotov6.Diagnostic) { return nil, p.destroy(allocationType, machine) })

			return said
		},
		"a reboot that may not be looked at any more": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			machine, _ := existing(t, cloud)
			_, said := deniedAfter(t, cloud, "RebootInstance*", func(p *protocol) (*kept, []*tfprotov6.Diagnostic) {
				return p.create(t.Context(), operationType, reboot.with(arguments{"provider_id": machine.RegionID + "." + machine.ID}), true)
			})

			return said
		},
		"an endpoint where nothing is": func(t *testing.T) []*tfprotov6.Diagnostic {
			_, said := newProtocolTo(t, nowhere, ecsemulator.AccessKey{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}).
				create(t.Context(), classType, wantedClass(nil), true)

			return said
		},
		"a machine that is read with a clock that is off": func(t *testing.T) []*tfprotov6.Diagnostic {
			return later(t, func(t *testing.T, cloud *acctest.Cloud) {
				cloud.Rule(t, ecsemulator.Rule{
					Kind: ecsemulator.RuleError, Action: "DescribeInstances", Code: "InvalidTimeStamp.Expired", HTTPStatus: 400, Message: "Specified time stamp or date value is expired.",
				})
			})
		},
		"no credentials": func(t *testing.T) []*tfprotov6.Diagnostic {
			_, said := newProtocolTo(t, acctest.Start(t, ecsemulator.Options{}).Endpoint(), ecsemulator.AccessKey{}).create(t.Context(), classType, wantedClass(nil), true)

			return said
		},
		"an operation on what is no machine": operate(reboot.with(arguments{"provider_id": "worker-a"})),
		"a launch whose answers are lost":    launch(ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "RunInstances"}, nil, soon),
		"a machine that does not run in time": func(t *testing.T) []*tfprotov6.Diagnostic {
			_, said := newProtocol(t, acctest.Start(t, tooSlow())).create(t.Context(), allocationType, wantedAllocation(nil, soon), true)

			return said
		},
		"an apply that is interrupted before the launch is answered": func(t *testing.T) []*tfprotov6.Diagnostic {
			return interrupted(t, acctest.Start(t, ecsemulator.Options{}), ecsemulator.Rule{Action: "RunInstances"},
				ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: "ServiceUnavailable", HTTPStatus: 503})
		},
		"an apply that is interrupted while the machine boots": func(t *testing.T) []*tfprotov6.Diagnostic {
			return interrupted(t, acctest.Start(t, tooSlow()), ecsemulator.Rule{Action: "DescribeInstances", Parameters: map[string]string{"InstanceIds": "*i-*"}, First: 2})
		},
		"an operation that is interrupted while its machine shuts down": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{StopDuration: time.Hour})
			_, said := interruptedIn(t, cloud, operationType, newDisk(t, cloud), ecsemulator.Rule{Action: "StopInstance", At: ecsemulator.MomentAfter})

			return said
		},
		"an operation that is given up": func(t *testing.T) []*tfprotov6.Diagnostic {
			return givenUp(t)
		},
		"an operation that is given up, and whose machine may not be started": func(t *testing.T) []*tfprotov6.Diagnostic {
			return givenUp(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "StartInstance"})
		},
		"an operation that is given up, and whose machine may not be looked at": func(t *testing.T) []*tfprotov6.Diagnostic {
			return givenUp(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})
		},
		"an operation that is given up, and whose machine may not be looked at, the second time": func(t *testing.T) []*tfprotov6.Diagnostic {
			return givenUpAgain(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})
		},
		"an operation that is given up, and whose trace may not be taken off, the second time": func(t *testing.T) []*tfprotov6.Diagnostic {
			return givenUpAgain(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "UntagResources"})
		},
		"an apply beside a machine of another class": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			newProtocol(t, cloud).mustCreate(allocationType, wantedAllocation(nil, nil))

			other := wantedAllocation(nil, nil)
			other["class"] = wantedClass(nil).with(arguments{"uid": "0b0e6cf6-1f3c-4b5e-9f86-3a0c2f3a9d11"})
			_, said := newProtocol(t, cloud).create(t.Context(), allocationType, other, true)

			return said
		},
		"a machine that cannot be looked at": func(t *testing.T) []*tfprotov6.Diagnostic {
			return later(t, func(t *testing.T, cloud *acctest.Cloud) {
				cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})
			})
		},
		"a machine with the credentials of another account": func(t *testing.T) []*tfprotov6.Diagnostic {
			other := ecsemulator.AccessKey{ID: "LTAI5tOfAnotherAccount01", Secret: "opens-nothing", AccountID: "6543210987654321"}
			cloud := acctest.Start(t, ecsemulator.Options{AccessKeys: []ecsemulator.AccessKey{
				{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}, other,
			}})
			machine := newProtocol(t, cloud).mustCreate(allocationType, wantedAllocation(nil, nil))

			_, said := newProtocolAs(t, cloud, other).read(allocationType, machine)

			return said
		},
		"a machine that another run has taken over": func(t *testing.T) []*tfprotov6.Diagnostic {
			return later(t, func(t *testing.T, cloud *acctest.Cloud) {
				cloud.Call(t, "TagResources", map[string]string{
					"ResourceType": "instance", "ResourceId.1": only(t, cloud).ID, "Tag.1.Key": driver.ReservedTagPrefix + "claim", "Tag.1.Value": "another",
				})
			})
		},
		"an import from another region": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := cloud.Existing(t, foundMachine())

			return imported(t, cloud, "cn-shanghai."+machine.ID)
		},
		"an import of what is no machine": func(t *testing.T) []*tfprotov6.Diagnostic {
			return imported(t, acctest.Start(t, ecsemulator.Options{}), "worker-a")
		},
		"an operation on a machine that is gone":                           operate(reboot),
		"an operation on a machine that is gone, and no region is written": operate(reboot.with(arguments{"provider_id": "i-bp1abc"})),
		"an operation whose parameters are wrong": func(t *testing.T) []*tfprotov6.Diagnostic {
			return newProtocolUnconfigured(t).validate(operationType, arguments{
				"name": "off", "kind": "HostPowerOff", "provider_id": unknown, "parameters": arguments{"force_after_timeout": "maybe", "forse": "true"},
			})
		},
		"a replacement that is told its first-boot data by a parameter": func(t *testing.T) []*tfprotov6.Diagnostic {
			return newProtocolUnconfigured(t).validate(operationType, arguments{
				"name": "disk", "kind": "HostReplace", "provider_id": unknown, "parameters": arguments{"image_id": "m-acme2", "keep_user_data": "true"},
			})
		},
		"an operation that may not be written down": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			machine, _ := existing(t, cloud)
			cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "TagResources"})

			_, said := newProtocol(t, cloud).create(t.Context(), operationType, reboot.with(arguments{"provider_id": machine.RegionID + "." + machine.ID}), true)

			return said
		},
		"an operation under another operation": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			machine, _ := existing(t, cloud)
			id := machine.RegionID + "." + machine.ID
			underWay(t, cloud, reboot.with(arguments{"name": "first", "provider_id": id}))

			_, said := newProtocol(t, cloud).create(t.Context(), operationType, reboot.with(soon).with(arguments{"name": "second", "provider_id": id}), true)

			return said
		},
		"an operation of a kind that there is not":   operate(reboot.with(arguments{"kind": "HostRestart"})),
		"an operation in a region that there is not": operate(reboot.with(arguments{"provider_id": "cn-hangzou.i-bp1abc"})),
		"an operation whose machine cannot be looked at": func(t *testing.T) []*tfprotov6.Diagnostic {
			return plannedReboots(newProtocolTo(t, nowhere, ecsemulator.AccessKey{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}), "cn-hangzhou.i-bp1abc")
		},
		"an operation without credentials": func(t *testing.T) []*tfprotov6.Diagnostic {
			return plannedReboots(newProtocolTo(t, acctest.Start(t, ecsemulator.Options{}).Endpoint(), ecsemulator.AccessKey{}), "cn-hangzhou.i-bp1abc")
		},
		"one operation of two resources": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			machine, _ := existing(t, cloud)
			id := machine.RegionID + "." + machine.ID

			return plannedReboots(newProtocol(t, cloud), id, id)
		},
		"one operation of two resources, of which this one is in state": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			machine, _ := existing(t, cloud)
			id := machine.RegionID + "." + machine.ID
			on := arguments{"name": "kernel", "kind": "HostPowerOn", "provider_id": id}
			held := newProtocol(t, cloud).mustCreate(operationType, on)

			p := newProtocol(t, cloud)
			p.create(t.Context(), operationType, on, false)

			return p.planAgain(operationType, held, on)
		},
		"machines that are waited for, one is gone": func(t *testing.T) []*tfprotov6.Diagnostic {
			_, said := newProtocol(t, acctest.Start(t, ecsemulator.Options{})).create(t.Context(), readinessType, arguments{"provider_ids": []string{"cn-hangzhou.i-bp1abc"}}, true)

			return said
		},
		"a release of a machine that is protected": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := newProtocol(t, cloud).mustCreate(allocationType, wantedAllocation(nil, arguments{"deletion_protection": true}))

			return newProtocol(t, cloud).destroy(allocationType, machine)
		},
		"a release without its permission": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := newProtocol(t, cloud).mustCreate(allocationType, wantedAllocation(nil, nil))
			cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DeleteInstance*"})

			return newProtocol(t, cloud).destroy(allocationType, machine)
		},
		"a release without the permission to keep its disks": func(t *testing.T) []*tfprotov6.Diagnostic {
			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := newProtocol(t, cloud).mustCreate(allocationType, wantedAllocation(nil, arguments{"retain_disks_on_release": true}))
			cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeDisks"})

			return newProtocol(t, cloud).destroy(allocationType, machine)
		},
		"a password that ECS does not take": func(t *testing.T) []*tfprotov6.Diagnostic {
			_, said := newProtocol(t, acctest.Start(t, ecsemulator.Options{})).create(t.Context(), allocationType, wantedAllocation(nil, arguments{"password_wo": "short"}), true)

			return said
		},
		"a duration that is none": func(t *testing.T) []*tfprotov6.Diagnostic {
			_, said := newProtocol(t, acctest.Start(t, ecsemulator.Options{})).create(t.Context(), allocationType, wantedAllocation(nil, arguments{"graceful_release": "90"}), true)

			return said
		},
		"timeouts without a unit": func(t *testing.T) []*tfprotov6.Diagnostic {
			_, said := newProtocol(t, acctest.Start(t, ecsemulator.Options{})).create(t.Context(), allocationType, wantedAllocation(nil, arguments{"timeouts": arguments{"create": "20"}}), true)

			return said
		},
	}
}

// later refreshes a machine to which something happened since it was launched.
func later(t *testing.T, happen func(*testing.T, *acctest.Cloud)) []*tfprotov6.Diagnostic {
	t.Helper()

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine := newProtocol(t, cloud).mustCreate(allocationType, wantedAllocation(nil, arguments{"timeouts": arguments{"read": "1s"}}))
	happen(t, cloud)

	_, said := newProtocol(t, cloud).read(allocationType, machine)

	return said
}

// imported imports a machine and reads it, as a plan does.
func imported(t *testing.T, cloud *acctest.Cloud, id string) []*tfprotov6.Diagnostic {
	t.Helper()

	p := newProtocol(t, cloud)

	made, err := p.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: allocationType, ID: id})
	if err != nil {
		t.Fatal(err)
	}

	if failed(made.Diagnostics) {
		return made.Diagnostics
	}

	object := made.ImportedResources[0]
	_, said := p.read(allocationType, &kept{value: object.State, private: object.Private})

	return append(made.Diagnostics, said...)
}

// interrupted interrupts an apply while a call is on the wire, to which what follows then
// happens.
func interrupted(t *testing.T, cloud *acctest.Cloud, call ecsemulator.Rule, following ...ecsemulator.Rule) []*tfprotov6.Diagnostic {
	t.Helper()

	_, said := interruptedIn(t, cloud, allocationType, wantedAllocation(nil, nil), call, following...)

	return said
}

func interruptedIn(
	t *testing.T, cloud *acctest.Cloud, what string, wanted arguments, call ecsemulator.Rule, following ...ecsemulator.Rule,
) (*kept, []*tfprotov6.Diagnostic) {
	t.Helper()

	call.Kind, call.Times = ecsemulator.RuleHold, 1
	rule := cloud.Rule(t, call)

	for _, next := range following {
		cloud.Rule(t, next)
	}

	p := newProtocol(t, cloud)

	// An apply that ends without the call would be waited for without end.
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	go func() {
		hold, err := cloud.WaitHold(ctx, rule.ID)
		if err != nil {
			t.Errorf("the call was not made: %v", err)

			return
		}

		_, _ = p.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{})

		cancel()

		if err := cloud.Release(hold.ID, ecsemulator.Proceed); err != nil {
			t.Error(err)
		}
	}()

	return p.create(ctx, what, wanted, true)
}

// newDisk is an operation on a machine that is there.
func newDisk(t *testing.T, cloud *acctest.Cloud) arguments {
	t.Helper()

	machine, _ := existing(t, cloud)

	return arguments{
		"name": "disk", "kind": "HostReplace", "provider_id": machine.RegionID + "." + machine.ID, "keep_user_data": true, "parameters": arguments{"image_id": "m-acme2"},
	}
}

// givenUp interrupts an operation once its machine has a new disk, and takes it away.
func givenUp(t *testing.T, then ...ecsemulator.Rule) []*tfprotov6.Diagnostic {
	t.Helper()

	cloud, made := toGiveUp(t, then...)

	return newProtocol(t, cloud).destroy(operationType, made)
}

// givenUpAgain takes it away a second time, and returns what is said then.
func givenUpAgain(t *testing.T, then ...ecsemulator.Rule) []*tfprotov6.Diagnostic {
	t.Helper()

	cloud, made := toGiveUp(t, then...)

	left, said := newProtocol(t, cloud).tryDestroy(operationType, made)
	if left == nil {
		t.Fatalf("it went the first time:\n%s", rendered(said))
	}

	left, said = newProtocol(t, cloud).tryDestroy(operationType, left)
	if left != nil {
		t.Errorf("it is still in state")
	}

	return said
}

func toGiveUp(t *testing.T, then ...ecsemulator.Rule) (*acctest.Cloud, *kept) {
	t.Helper()

	cloud := acctest.Start(t, ecsemulator.Options{})
	made, _ := interruptedIn(t, cloud, operationType, newDisk(t, cloud), ecsemulator.Rule{Action: "ReplaceSystemDisk", At: ecsemulator.MomentAfter})

	for _, rule := range then {
		cloud.Rule(t, rule)
	}

	return cloud, made
}

// underWay begins an operation that does not end before the test does.
func underWay(t *testing.T, cloud *acctest.Cloud, operation arguments) {
	t.Helper()

	rule := cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "RebootInstance"})
	p := newProtocol(t, cloud)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})

	go func() {
		defer close(ended)

		p.create(ctx, operationType, operation, true)
	}()

	t.Cleanup(func() {
		cancel()

		if err := cloud.RemoveRule(rule.ID); err != nil {
			t.Error(err)
		}

		<-ended
	})

	if _, err := cloud.WaitHold(t.Context(), rule.ID); err != nil {
		t.Fatal(err)
	}
}
