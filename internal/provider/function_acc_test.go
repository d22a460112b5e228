package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
)

// expression is a Terraform expression and what it evaluates to.
type expression struct {
	text string
	want knownvalue.Check
}

// functionsOf names the provider as the testing framework serves it.
const functionsOf = "terraform {\n  required_providers {\n    machine = { source = \"hashicorp/machine\" }\n  }\n}\n"

// evaluate evaluates the expressions with the real command, all in one
// configuration. Functions need no provider block.
func evaluate(t *testing.T, expressions map[string]expression) {
	t.Helper()
	acctest.RequireCLI(t)

	var (
		configuration strings.Builder
		checks        []statecheck.StateCheck
	)

	for i, name := range slices.Sorted(maps.Keys(expressions)) {
		fmt.Fprintf(&configuration, "# %s\noutput \"value-%d\" {\n  value = %s\n}\n", name, i, expressions[name].text)

		checks = append(checks, statecheck.ExpectKnownOutputValue(fmt.Sprintf("value-%d", i), expressions[name].want))
	}

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps:                    []resource.TestStep{{Config: functionsOf + configuration.String(), ConfigStateChecks: checks}},
	})
}

// wantRefused wants a function to refuse its argument, and to say why.
func wantRefused(t *testing.T, function string, argument tftypes.Value, phrase string) {
	t.Helper()

	server, err := acctest.Factories()["machine"]()
	if err != nil {
		t.Fatal(err)
	}

	kind := argument.Type()
	if function == "volume_ids" {
		kind = tftypes.DynamicPseudoType
	}

	encoded, err := tfprotov6.NewDynamicValue(kind, argument)
	if err != nil {
		t.Fatal(err)
	}

	response, err := server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{Name: function, Arguments: []*tfprotov6.DynamicValue{&encoded}})
	if err != nil {
		t.Fatal(err)
	}

	switch {
	case response.Error == nil:
		t.Fatalf("%s took it", function)
	case response.Error.FunctionArgument == nil || *response.Error.FunctionArgument != 0:
		t.Errorf("the error %q is not said to be of the argument", response.Error.Text)
	case !strings.Contains(response.Error.Text, phrase):
		t.Errorf("the error is %q, want %q in it", response.Error.Text, phrase)
	}
}

func TestAccFunctionsOfProviderIDs(t *testing.T) {
	t.Parallel()

	parsed := knownvalue.ObjectExact(map[string]knownvalue.Check{
		"region": knownvalue.StringExact("cn-hangzhou"), "instance_id": knownvalue.StringExact("i-bp1abc"),
	})

	evaluate(t, map[string]expression{
		"an ID taken apart":          {`provider::machine::parse_provider_id("cn-hangzhou.i-bp1abc")`, parsed},
		"a URL taken apart":          {`provider::machine::parse_provider_id("alicloud://cn-hangzhou.i-bp1abc")`, parsed},
		"the node name of an ID":     {`provider::machine::node_name("cn-hangzhou.i-bp1abc")`, knownvalue.StringExact("izbp1abcz")},
		"the node name of a URL":     {`provider::machine::node_name("alicloud://cn-hangzhou.i-bp1abc")`, knownvalue.StringExact("izbp1abcz")},
		"the node names of a fleet":  {`[for id in ["cn-a.i-1", "cn-b.i-2"] : provider::machine::node_name(id)]`, knownvalue.TupleExact([]knownvalue.Check{knownvalue.StringExact("iz1z"), knownvalue.StringExact("iz2z")})},
		"a region of another nation": {`provider::machine::parse_provider_id("ap-southeast-1.i-t4n1").region`, knownvalue.StringExact("ap-southeast-1")},
	})
}

func TestFunctionsRefuseWhatIsNoProviderID(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct{ text, want string }{
		"text that is no ID":       {"worker-a", `"worker-a" is not a provider ID: want <region>.<instance-id>, such as cn-hangzhou.i-bp1abc`},
		"a bare ID":                {"i-bp1abc", `"i-bp1abc" names no region`},
		"an ID of another cloud":   {"aws:///us-east-1a/i-0abc", "is not a provider ID"},
		"nothing":                  {"", `"" is not a provider ID`},
		"a region that is no word": {"Hangzhou.i-bp1abc", `"Hangzhou" is not a region`},
		"an ID with more after it": {"cn-hangzhou.i-bp1abc.internal", "is not a provider ID"},
	} {
		for _, function := range []string{"parse_provider_id", "node_name"} {
			t.Run(name+" to "+function, func(t *testing.T) {
				t.Parallel()
				wantRefused(t, function, tftypes.NewValue(tftypes.String, test.text), test.want)
			})
		}
	}
}

const volumeManifest = `yamldecode(<<-EOT
  apiVersion: v1
  kind: PersistentVolume
  metadata: { name: data }
  spec:
    capacity: { storage: 20Gi }
    accessModes: [ReadWriteOnce]
    csi:
      driver: diskplugin.csi.alibabacloud.com
      volumeHandle: d-bp1whole
EOT
)`

func TestAccVolumeIDs(t *testing.T) {
	t.Parallel()

	disk := `{ csi = { driver = "diskplugin.csi.alibabacloud.com", volumeHandle = "d-bp1csi" } }`
	flex := `jsondecode("{\"flexVolume\":{\"driver\":\"alicloud/disk\",\"options\":{\"volumeId\":\"d-bp1flex\"}},\"nodeAffinity\":null}")`
	foreign := `{ csi = { driver = "ebs.csi.aws.com", volumeHandle = "vol-1" } }, { nfs = { server = "10.0.0.1", path = "/" } }`

	ids := func(texts ...string) knownvalue.Check {
		checks := make([]knownvalue.Check, 0, len(texts))
		for _, text := range texts {
			checks = append(checks, knownvalue.StringExact(text))
		}

		return knownvalue.ListExact(checks)
	}

	volumes := map[string]expression{}

	for name, test := range map[string]struct {
		specs string
		want  knownvalue.Check
	}{
		"a CSI disk":                   {"[" + disk + "]", ids("d-bp1csi")},
		"a FlexVolume":                 {"[" + flex + "]", ids("d-bp1flex")},
		"foreign ones among them":      {"[" + foreign + ", " + disk + ", " + flex + "]", ids("d-bp1csi", "d-bp1flex")},
		"foreign ones alone":           {"[" + foreign + "]", ids()},
		"none":                         {"[]", ids()},
		"a whole manifest":             {"[" + volumeManifest + "]", ids("d-bp1whole")},
		"the spec of a manifest":       {"[" + volumeManifest + ".spec]", ids("d-bp1whole")},
		"a typed list":                 {"tolist([" + disk + "])", ids("d-bp1csi")},
		"a set":                        {"toset([" + disk + "])", ids("d-bp1csi")},
		"what a FlexVolume leaves out": {`[{ flexVolume = { driver = "alicloud/disk" } }]`, ids()},
	} {
		volumes[name] = expression{"provider::machine::volume_ids(" + test.specs + ")", test.want}
	}

	evaluate(t, volumes)
}

func TestVolumeIDsRefusesWhatIsNoVolume(t *testing.T) {
	t.Parallel()

	object := func(attributes map[string]tftypes.Value) tftypes.Value {
		kinds := map[string]tftypes.Type{}
		for name, value := range attributes {
			kinds[name] = value.Type()
		}

		return tftypes.NewValue(tftypes.Object{AttributeTypes: kinds}, attributes)
	}
	text := tftypes.NewValue(tftypes.String, "d-bp1csi")
	disk := object(map[string]tftypes.Value{"csi": object(map[string]tftypes.Value{"driver": text, "volumeHandle": text})})
	list := func(elements ...tftypes.Value) tftypes.Value {
		kinds := make([]tftypes.Type, 0, len(elements))
		for _, element := range elements {
			kinds = append(kinds, element.Type())
		}

		return tftypes.NewValue(tftypes.Tuple{ElementTypes: kinds}, elements)
	}

	for name, test := range map[string]struct {
		specs tftypes.Value
		want  string
	}{
		"a text":                   {text, "want a list of PersistentVolume specs"},
		"a single spec":            {disk, "want a list of PersistentVolume specs"},
		"a text in the list":       {list(disk, text), "element 1 is not the spec of a PersistentVolume: want an object"},
		"a null in the list":       {list(tftypes.NewValue(disk.Type(), nil)), "element 0 is not the spec of a PersistentVolume"},
		"a field of another shape": {list(object(map[string]tftypes.Value{"csi": text})), "element 0 is not the spec of a PersistentVolume"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRefused(t, "volume_ids", test.specs, test.want)
		})
	}
}
