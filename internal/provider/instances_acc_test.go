package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// instances is a data source under the label, with these lines in it.
func instances(label string, lines ...string) string {
	return fmt.Sprintf("data \"machine_instances\" %q {\n  %s\n}\n", label, strings.Join(lines, "\n  "))
}

// reads runs a configuration that only reads.
func reads(t *testing.T, cloud *acctest.Cloud, steps ...resource.TestStep) {
	t.Helper()
	acctest.RequireCLI(t)
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: steps})

	if launches := cloud.Counts()["RunInstances"]; launches != 0 {
		t.Errorf("reading launched %d machines", launches)
	}
}

// finds wants a data source to find exactly these machines.
func finds(label string, machines ...ecsemulator.Instance) statecheck.StateCheck {
	var ids []string
	for _, machine := range machines {
		ids = append(ids, machine.RegionID+"."+machine.ID)
	}

	slices.Sort(ids)

	checks := make([]knownvalue.Check, 0, len(ids))
	for _, id := range ids {
		checks = append(checks, knownvalue.StringExact(id))
	}

	return statecheck.ExpectKnownValue("data.machine_instances."+label, tfjsonpath.New("provider_ids"), knownvalue.ListExact(checks))
}

// reservedTagsOf are tags as the provider itself writes them.
func reservedTagsOf(owner, classUID, name string, more ...string) map[string]string {
	tags := map[string]string{
		driver.ReservedTagPrefix + "owner": owner, driver.ReservedTagPrefix + "class-uid": classUID, driver.ReservedTagPrefix + "name": name,
	}
	for _, mark := range more {
		tags[driver.ReservedTagPrefix+mark] = "true"
	}

	return tags
}

func TestAccInstancesAreNarrowedByEachFilter(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	add := func(change func(*ecsemulator.NewInstance)) ecsemulator.Instance {
		machine := foundMachine()
		change(&machine)

		return cloud.Existing(t, machine)
	}

	fresh := add(func(m *ecsemulator.NewInstance) {
		m.Tags, m.AgeSeconds = reservedTagsOf(acctest.Owner, "uid-1", "worker-a"), 60
	})
	settled := add(func(m *ecsemulator.NewInstance) {
		m.Tags, m.VSwitchID = reservedTagsOf(acctest.Owner, "uid-2", "worker-b", "settled"), "vsw-a"
	})
	old := add(func(m *ecsemulator.NewInstance) {
		m.Tags, m.AgeSeconds, m.Stopped = reservedTagsOf(acctest.Owner, "uid-1", "old"), 100*86400, true
		m.Tags["team"], m.Tags["stage"] = "a", "prod"
	})
	leaving := add(func(m *ecsemulator.NewInstance) {
		m.Tags = reservedTagsOf(acctest.Owner, "uid-1", "leaving", "releasing")
		m.Tags["team"] = "b"
	})
	foreign := add(func(m *ecsemulator.NewInstance) { m.Tags = reservedTagsOf("somebody/else", "uid-1", "worker-a") })
	pet := add(func(m *ecsemulator.NewInstance) { m.Name = "pet-with-team"; m.Tags = map[string]string{"team": "a"} })
	far := add(func(m *ecsemulator.NewInstance) { m.RegionID, m.VSwitchID = "cn-shanghai", ""; m.ImageID = "" })

	everybody := []ecsemulator.Instance{fresh, settled, old, leaving}

	tests := map[string]struct {
		lines []string
		want  []ecsemulator.Instance
	}{
		"owner_of_the_provider": {nil, everybody},
		"owner_that_is_another": {[]string{`owner = "somebody/else"`}, []ecsemulator.Instance{foreign}},
		"owner_of_nobody":       {[]string{`owner = "nobody"`}, nil},
		"every_owner":           {[]string{`owner = "*"`}, append(slices.Clone(everybody), foreign, pet)},
		"class":                 {[]string{`class_uid = "uid-1"`}, []ecsemulator.Instance{fresh, old, leaving}},
		"name":                  {[]string{`name = "worker-a"`}, []ecsemulator.Instance{fresh}},
		"name_pattern":          {[]string{`name = "*r-*"`}, []ecsemulator.Instance{fresh, settled}},
		"instance_name":         {[]string{`owner = "*"`, `name = "pet-*"`}, []ecsemulator.Instance{pet}},
		"zone":                  {[]string{`zone = "cn-hangzhou-h"`}, inZone("cn-hangzhou-h", everybody)},
		"phase_stopped":         {[]string{`phases = ["Stopped"]`}, []ecsemulator.Instance{old}},
		"phases":                {[]string{`phases = ["Stopped", "Releasing"]`}, []ecsemulator.Instance{old, leaving}},
		"tag":                   {[]string{`tags = { team = "a" }`}, []ecsemulator.Instance{old}},
		"tag_of_any_value":      {[]string{`tags = { team = "" }`}, []ecsemulator.Instance{old, leaving}},
		"tags":                  {[]string{`tags = { team = "a", stage = "test" }`}, nil},
		"settled":               {[]string{`settled = true`}, []ecsemulator.Instance{settled}},
		"unsettled":             {[]string{`settled = false`}, []ecsemulator.Instance{fresh, old, leaving}},
		"older":                 {[]string{`older_than = "72h"`}, []ecsemulator.Instance{old}},
		"younger":               {[]string{`younger_than = "1h"`}, []ecsemulator.Instance{fresh}},
		"region":                {[]string{`region = "cn-shanghai"`, `owner = "*"`}, []ecsemulator.Instance{far}},
		"together":              {[]string{`class_uid = "uid-1"`, `settled = false`, `phases = ["Running"]`}, []ecsemulator.Instance{fresh}},
	}

	var (
		config strings.Builder
		checks []statecheck.StateCheck
	)

	for label, test := range tests {
		config.WriteString(instances(label, test.lines...))

		checks = append(checks, finds(label, test.want...))
	}

	reads(t, cloud, resource.TestStep{Config: cloud.Provider() + config.String(), ConfigStateChecks: checks})
}

func inZone(zone string, machines []ecsemulator.Instance) []ecsemulator.Instance {
	return slices.DeleteFunc(slices.Clone(machines), func(machine ecsemulator.Instance) bool { return machine.ZoneID != zone })
}

func TestAccInstancesThatMayNotBeSeenAreAnError(t *testing.T) {
	t.Parallel()

	for _, denial := range []ecsemulator.Denial{ecsemulator.DenialEmpty, ecsemulator.DenialForbidden} {
		t.Run(string(denial), func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{DeniedDescribe: denial}})
			cloud.Existing(t, foundMachine())
			cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})

			reads(t, cloud, resource.TestStep{
				Config:      cloud.Provider() + instances("all", `owner = "*"`),
				ExpectError: acctest.Text("Cannot list machines", "Grant the RAM user or role the permission"),
			})
		})
	}
}

func TestAccInstancesRefuseWhatIsNoFilter(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct{ line, want string }{
		"a phase":  {`phases = ["Asleep"]`, `must be one of`},
		"an age":   {`older_than = "long"`, `Invalid duration`},
		"a region": {`region = "Hangzhou"`, `must be a region ID such as cn-hangzhou`},
		"an owner": {`owner = "two words"`, `"two words" is no owner`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			reads(t, cloud, resource.TestStep{Config: cloud.Provider() + instances("all", test.line), ExpectError: acctest.Text(test.want)})
		})
	}

	t.Run("no region at all", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		reads(t, cloud, resource.TestStep{
			Config:      cloud.Provider(acctest.Arguments{"region": ""}) + instances("all"),
			ExpectError: acctest.Text("Cannot list machines", "no region is given, and the provider has none"),
		})
	})
}

// What an interrupted apply leaves is listed with the way to take it over.
func TestAccInstancesShowWhatAnInterruptedApplyLeft(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	young := foundMachine()
	young.AgeSeconds, young.Tags = 600, reservedTagsOf(acctest.Owner, "uid-1", "worker-a")
	left := cloud.Existing(t, young)

	old := foundMachine()
	old.AgeSeconds, old.Tags = 100*86400, reservedTagsOf(acctest.Owner, "uid-1", "worker-b")
	cloud.Existing(t, old)

	reads(t, cloud, resource.TestStep{
		Config: cloud.Provider() + instances("all") + "output \"leftovers\" {\n  value = { for machine in data.machine_instances.all.instances : machine.name => machine.import_command if machine.leftover }\n}\n",
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("leftovers", knownvalue.MapExact(map[string]knownvalue.Check{
				"worker-a": knownvalue.StringExact("terraform import ADDRESS cn-hangzhou." + left.ID),
			})),
		},
	})
}

// A data source that waits for a machine sees it, and not a list of before.
func TestAccInstancesAreListedAnewAfterALaunch(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a") +
		instances("all", "depends_on = [machine_allocation.worker-a]") +
		"data \"machine_instance\" \"one\" {\n  provider_id = machine_allocation.worker-a.id\n}\n"

	run(t, cloud, 1, resource.TestStep{
		Config: config,
		Check: func(state *terraform.State) error {
			found := state.RootModule().Resources["data.machine_instances.all"].Primary.Attributes
			if count := found["instances.#"]; count != "1" || found["instances.0.name"] != "worker-a" || found["instances.0.owner"] != acctest.Owner {
				return fmt.Errorf("it found %v", found)
			}

			one := state.RootModule().Resources["data.machine_instance.one"].Primary.Attributes
			if one["phase"] != "Running" || one["instance_id"] != cloud.Alive()[0].ID {
				return fmt.Errorf("it shows %v", one)
			}

			return nil
		},
	})
}

func TestAccEveryPhaseAndReasonHasItsWord(t *testing.T) {
	t.Parallel()

	spot, stopped, subscription, expired := foundMachine(), foundMachine(), foundMachine(), foundMachine()
	spot.ChargeMode = ecsemulator.ChargeSpot
	stopped.Stopped = true
	subscription.ChargeMode, subscription.ExpiresInSeconds = ecsemulator.ChargePrePaid, 30*86400
	expired.ChargeMode, expired.ExpiresInSeconds = ecsemulator.ChargePrePaid, -86400

	releasing := foundMachine()
	releasing.Tags = reservedTagsOf(acctest.Owner, "uid-1", "worker-a", "releasing")

	lock := func(reason string) ecsemulator.Incident {
		return ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: reason}
	}

	for name, test := range map[string]struct {
		found         ecsemulator.NewInstance
		incidents     []ecsemulator.Incident
		phase, reason string
		// known are the attributes that have a value in this case alone.
		known string
	}{
		"that runs":                         {found: foundMachine(), phase: "Running"},
		"that was stopped by a user":        {found: stopped, phase: "Stopped", reason: "PoweredOff", known: "stopped_mode"},
		"that was stopped in the console":   {found: foundMachine(), incidents: []ecsemulator.Incident{{Kind: ecsemulator.IncidentStop}}, phase: "Stopped", reason: "PoweredOff"},
		"that is taken back":                {found: spot, incidents: []ecsemulator.Incident{{Kind: ecsemulator.IncidentReclaim}}, phase: "Reclaiming", reason: "SpotReclaim", known: "reclaimed_by"},
		"in arrears":                        {found: foundMachine(), incidents: []ecsemulator.Incident{lock("financial")}, phase: "Locked", reason: "Financial"},
		"on a host in arrears":              {found: foundMachine(), incidents: []ecsemulator.Incident{lock("dedicatedhostfinancial")}, phase: "Locked", reason: "Financial"},
		"that is dangerous":                 {found: foundMachine(), incidents: []ecsemulator.Incident{lock("security")}, phase: "Locked", reason: "Security"},
		"that was refunded":                 {found: subscription, incidents: []ecsemulator.Incident{lock("refunded")}, phase: "Locked", reason: "Refunded", known: "expires_at"},
		"whose subscription runs":           {found: subscription, phase: "Running", known: "expires_at"},
		"whose subscription is over":        {found: expired, phase: "Running", reason: "Expired", known: "expires_at"},
		"whose end has locked it":           {found: expired, incidents: []ecsemulator.Incident{lock("financial")}, phase: "Locked", reason: "Expired", known: "expires_at"},
		"that is about to be released":      {found: releasing, phase: "Releasing"},
		"taken back while it is in arrears": {found: spot, incidents: []ecsemulator.Incident{lock("financial"), {Kind: ecsemulator.IncidentReclaim}}, phase: "Reclaiming", reason: "SpotReclaim", known: "reclaimed_by"},
	} {
		t.Run("a machine "+name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := cloud.Existing(t, test.found)

			for _, incident := range test.incidents {
				if _, err := cloud.AddIncident(machine.ID, incident); err != nil {
					t.Fatal(err)
				}
			}

			checkPhase(t, cloud, machine, test.phase, test.reason, test.known)
		})
	}
}

// checkPhase reads the machine in both ways.
func checkPhase(t *testing.T, cloud *acctest.Cloud, machine ecsemulator.Instance, phase, reason, known string) {
	t.Helper()

	p := newProtocol(t, cloud)

	one := p.dataSource("machine_instance", map[string]string{"provider_id": machine.ID})
	if got := p.text(one, "phase"); got != phase {
		t.Errorf("the phase is %q, want %q", got, phase)
	}

	var got string
	if !one["phase_reason"].IsNull() {
		got = p.text(one, "phase_reason")
	}

	if got != reason {
		t.Errorf("the reason is %q, want %q", got, reason)
	}

	for _, name := range []string{"stopped_mode", "reclaimed_by", "expires_at"} {
		// How a machine is paid for that was stopped in the console is known as well.
		if set := !one[name].IsNull(); set != (name == known) && (name != "stopped_mode" || phase != "Stopped") {
			t.Errorf("%s is %s", name, one[name])
		}
	}

	listed := p.dataSource("machine_instances", map[string]string{"owner": "*"})

	var all []tftypes.Value
	if err := listed["instances"].As(&all); err != nil || len(all) != 1 {
		t.Fatalf("the list shows %s: %v", listed["instances"], err)
	}

	var shown map[string]tftypes.Value
	if err := all[0].As(&shown); err != nil {
		t.Fatal(err)
	}

	if got := p.text(shown, "phase"); got != phase {
		t.Errorf("the phase in the list is %q, want %q", got, phase)
	}
}

func TestAccAnInstanceThatCannotBeShownIsAnError(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		id   string
		want []string
	}{
		"that does not exist":  {"cn-hangzhou.i-bp1doesnotexist", []string{"There is no such machine", "i-bp1doesnotexist does not exist in the region cn-hangzhou, which is the one that was searched"}},
		"in a wrong region":    {"cn-shanghai.%s", []string{"There is no such machine", "does not exist in the region cn-shanghai", "If it is in another region, write <region>.i-"}},
		"with a malformed ID":  {"worker-a", []string{"Malformed provider ID", `"worker-a" is not a provider ID`}},
		"with an empty ID":     {"", []string{"Malformed provider ID"}},
		"in an unknown region": {"cn-nowhere.%s", []string{"Cannot look at cn-nowhere.i-"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := cloud.Existing(t, foundMachine())

			id := test.id
			if strings.Contains(id, "%s") {
				id = fmt.Sprintf(id, machine.ID)
			}

			reads(t, cloud, resource.TestStep{
				Config:      cloud.Provider() + fmt.Sprintf("data \"machine_instance\" \"one\" {\n  provider_id = %q\n}\n", id),
				ExpectError: acctest.Text(test.want...),
			})
		})
	}
}

// The plan after something befell a machine shows it, and does nothing to it.
func TestAccWhatBefallsAMachineIsShownAndPlansNothing(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		incident ecsemulator.Incident
		phase    string
		class    acctest.Arguments
	}{
		"a stop":            {incident: ecsemulator.Incident{Kind: ecsemulator.IncidentStop}, phase: "Stopped"},
		"a financial lock":  {incident: ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: "financial"}, phase: "Locked"},
		"a security lock":   {incident: ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: "security"}, phase: "Locked"},
		"a reclaim (F104)":  {incident: ecsemulator.Incident{Kind: ecsemulator.IncidentReclaim}, phase: "Reclaiming", class: acctest.Arguments{"capacity_types": `["spot"]`}},
		"a refunded charge": {incident: ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: "refunded"}, phase: "Locked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			config := cloud.Provider() + acctest.Class(test.class) + acctest.Allocation("worker-a")

			acctest.RequireCLI(t)
			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{
					{Config: config},
					{
						PreConfig: func() {
							if _, err := cloud.AddIncident(only(t, cloud).ID, test.incident); err != nil {
								t.Fatal(err)
							}
						},
						Config:            config,
						ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
						ConfigStateChecks: []statecheck.StateCheck{value("phase", knownvalue.StringExact(test.phase))},
					},
				},
			})
		})
	}
}
