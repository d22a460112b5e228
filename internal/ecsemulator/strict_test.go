package ecsemulator_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// strictRow is one way to get a request wrong, with what the documentation says that it is refused by.
type strictRow struct {
	source, name string
	method       string // POST if empty
	own          values
	spoil        func(url.Values)
	// body is sent after the signed query, as it stands, of the content type.
	body, contentType string
	// query is sent behind the signed one.
	query  string
	code   string
	status int
}

// hugeBody is more than the server reads.
var hugeBody = "Description=" + strings.Repeat("a", 4<<20)

// protocolRows are wrong for every action alike.
func protocolRows() []strictRow {
	form := "application/x-www-form-urlencoded"
	return []strictRow{
		{source: "ecs-api 1.4", name: "unknown parameter", own: values{"Colour": "red"}, code: "UnsupportedParameter", status: 400},
		{source: "ecs-api 1.4", name: "unknown list", own: values{"Colour.1": "red"}, code: "UnsupportedParameter", status: 400},
		{source: "ecs-api 1.4", name: "empty name", own: values{"": "red"}, code: "UnsupportedParameter", status: 400},
		{source: "ecs-api 1.1", name: "method PUT", method: http.MethodPut, code: "UnsupportedHTTPMethod", status: 403},
		{source: "ecs-api 1.1", name: "method DELETE", method: http.MethodDelete, code: "UnsupportedHTTPMethod", status: 403},
		{source: "ecs-api 1.1", name: "method PATCH", method: http.MethodPatch, code: "UnsupportedHTTPMethod", status: 403},
		{source: "ecs-api 1.3", name: "changed after it was signed", spoil: func(v url.Values) { v.Set("RegionId", "cn-beijing") }, code: "SignatureDoesNotMatch", status: 400},
		{source: "ecs-api 1.4", name: "region twice", spoil: func(v url.Values) { v.Add("RegionId", "cn-hangzhou") }, code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.4", name: "region overlong", own: values{"RegionId": strings.Repeat("r", 1025)}, code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.4", name: "owner account overlong", own: values{"OwnerAccount": strings.Repeat("o", 1025)}, code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.4", name: "owner id no number", own: values{"OwnerId": "me"}, code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.4", name: "unknown region", own: values{"RegionId": "mars-1"}, code: "InvalidRegionId.NotFound", status: 404},
		{source: "ecs-api 1.1", name: "huge body", body: hugeBody, contentType: form, code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.1", name: "body that is JSON", body: `{"Amount":1}`, contentType: "application/json", code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.1", name: "body of no kind", body: "Amount=1", code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.3", name: "broken escape in the query", query: "&Description=%zz", code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.3", name: "broken escape in the form", body: "Description=%z", contentType: form, code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.3", name: "semicolon in the query", query: "&a=b;c=d", code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.3", name: "value that is no UTF-8", query: "&Description=%ff%fe", code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.3", name: "name that is no UTF-8", body: "%ff=1", contentType: form, code: "InvalidParameter", status: 400},
		{source: "ecs-api 1.3", name: "zero byte in a name", own: values{"Amount\x00": "1"}, code: "UnsupportedParameter", status: 400},
	}
}

// numbered puts numbers, from the left, in the places of a name that hold one; places beyond the numbers get 1.
func numbered(name string, numbers ...string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		if part != "N" {
			continue
		}
		parts[i] = "1"
		if len(numbers) > 0 {
			parts[i], numbers = numbers[0], numbers[1:]
		}
	}
	return strings.Join(parts, ".")
}

// parameterRows are one for each way to get each declared parameter wrong. Source of the codes: ecs-api 1.4 and 5.4.
func parameterRows(action ecsemulator.DeclaredAction) []strictRow {
	var rows []strictRow
	for _, parameter := range action.Parameters {
		name := numbered(parameter.Name)
		add := func(what, code string, own values) {
			rows = append(rows, strictRow{source: action.Name + page, name: name + " " + what, own: own, code: code, status: 400})
		}
		switch parameter.Kind {
		case "integer", "long":
			for _, wrong := range []string{"two", "1.5", "99999999999999999999", "0x10", " 1", "1_000"} {
				add("is "+wrong, "InvalidParameter", values{name: wrong})
			}
			if parameter.Kind == "integer" {
				add("is beyond 32 bits", "InvalidParameter", values{name: "2147483648"})
			}
		case "boolean":
			for _, wrong := range []string{"maybe", "1", "yes"} {
				add("is "+wrong, "InvalidParameter", values{name: wrong})
			}
		case "number":
			for _, wrong := range []string{"cheap", "NaN", "Inf", "1e999"} {
				add("is "+wrong, "InvalidParameter", values{name: wrong})
			}
		default:
			add("is overlong", "InvalidParameter", values{name: strings.Repeat("a", parameter.MaxLength+1)})
		}
		rows = append(rows, strictRow{source: action.Name + page, name: name + " twice", own: values{name: "1"}, spoil: func(v url.Values) { v.Add(name, "1") }, code: "InvalidParameter", status: 400})
		if name != parameter.Name {
			add("without number", "UnsupportedParameter", values{strings.Replace(parameter.Name, ".N", "", 1): "1"})
			for _, number := range []string{"0", "01", "-1", "1001", "99999999999999999999"} {
				add("of number "+number, "UnsupportedParameter", values{numbered(parameter.Name, number): "1"})
			}
			if !strings.HasPrefix(parameter.Name, "Filter.") { // its numbers have fixed meanings
				add("with a gap", "InvalidParameter", values{numbered(parameter.Name, "3"): "1"})
			}
		} else {
			add("with a number", "UnsupportedParameter", values{parameter.Name + ".1": "1"})
		}
	}
	return rows
}

// strictAnswer sends a row and gives the answer.
func strictAnswer(t *testing.T, c *client, action ecsemulator.DeclaredAction, row strictRow) reply {
	t.Helper()
	method := http.MethodPost
	if row.method != "" {
		method = row.method
	}
	all := c.signed(method, action.Name, row.own.with(values{"Version": action.Version}))
	if row.spoil != nil {
		row.spoil(all)
		if !strings.HasPrefix(row.name, "changed") {
			all.Del("Signature")
			all.Set("Signature", sign(method, c.secret, all))
		}
	}
	answer, err := sendAs(t.Context(), method, c.server.URL()+"/?"+all.Encode()+row.query, row.body, row.contentType)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// A refused request must be refused by name, and must have done nothing.
func TestEveryActionIsStrict(t *testing.T) {
	t.Parallel()
	actions, err := ecsemulator.DeclaredActions()
	if err != nil || len(actions) < 50 {
		t.Fatalf("%d actions, %v", len(actions), err)
	}
	for _, action := range actions {
		t.Run(action.Name, func(t *testing.T) {
			t.Parallel()
			server := still(t, ecsemulator.Options{})
			c := newClient(t, server)
			for _, row := range slices.Concat(protocolRows(), parameterRows(action)) {
				if action.Unsigned && strings.HasPrefix(row.name, "changed") {
					continue // nothing is signed
				}
				answer := strictAnswer(t, c, action, row)
				if answer.Code != row.code || answer.status != row.status {
					t.Errorf("%s: answered %d %s, want %d %s (%s)", row.name, answer.status, answer.body, row.status, row.code, row.source)
				}
			}
			if n := len(server.Journal()); n != 0 {
				t.Errorf("%d effects of requests that were refused", n)
			}
		})
	}
}

// Source: ecs-api 1.4: an unknown action or version is refused, also by names that differ in case only.
func TestUnknownActionsOfEveryProductAreRefused(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	for _, version := range []string{"2014-05-26", "2016-04-28", "2015-04-01"} {
		for _, name := range []string{"LaunchRocket", "runinstances", "RunInstances ", "RunInstances\x00", strings.Repeat("A", 2000), "<script>"} {
			c.refused(name, values{"Version": version}, "InvalidApi.NotFound", 404)
		}
	}
	for _, version := range []string{"2014-05-27", "2014-5-26", "latest", strings.Repeat("9", 2000)} {
		c.refused("RunInstances", values{"Version": version}, "InvalidProduct.NotFound", 404)
	}
}

// Lists that travel as JSON are checked by the action, which knows them. Source: ecs-api 1.5.
func TestJSONListsAreStrict(t *testing.T) {
	t.Parallel()
	actions, err := ecsemulator.DeclaredActions()
	if err != nil {
		t.Fatal(err)
	}
	lists := []string{"InstanceIds", "DiskIds", "SecurityGroupIds", "PrivateIpAddresses", "PublicIpAddresses", "EipAddresses", "InnerIpAddresses", "RdmaIpAddresses"}
	server := still(t, ecsemulator.Options{})
	seen := 0
	for _, action := range actions {
		for _, parameter := range action.Parameters {
			if !slices.Contains(lists, parameter.Name) {
				continue
			}
			seen++
			for _, wrong := range []string{"i-1", `{"a":1}`, "[1]", "null", `["a"`, `["a"]x`, jsonIDs(101)} {
				own := values{parameter.Name: wrong, "RamRoleName": "-", "Version": action.Version}
				for _, needed := range action.Parameters {
					if needed.Name == "RamRoleName" {
						own["RamRoleName"] = "acme-node-role"
					}
				}
				answer := newClient(t, server).call(action.Name, own)
				if answer.status != 400 || !slices.Contains([]string{"InvalidParameter", "InvalidInstanceIds.Malformed"}, answer.Code) {
					t.Errorf("%s: %s=%s answered %d %s", action.Name, parameter.Name, fmt.Sprintf("%.20s", wrong), answer.status, answer.body)
				}
			}
		}
	}
	if seen < 8 {
		t.Errorf("only %d such parameters were seen", seen)
	}
}
