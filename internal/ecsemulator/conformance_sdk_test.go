package ecsemulator_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	openapi "github.com/alibabacloud-go/darabonba-openapi/v2/client"
	ecs7 "github.com/alibabacloud-go/ecs-20140526/v7/client"
	"github.com/alibabacloud-go/tea/tea"
	vpc6 "github.com/alibabacloud-go/vpc-20160428/v6/client"
	sdkerrors "github.com/aliyun/alibaba-cloud-sdk-go/sdk/errors"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	ecs1 "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
	vpc1 "github.com/aliyun/alibaba-cloud-sdk-go/services/vpc"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// object is a request or an answer in the nested form of JSON.
type object = map[string]any

// sdkAnswer is what a call through an SDK came to.
type sdkAnswer struct {
	code     string // empty when it succeeded
	status   int
	document object // what the SDK's own types hold of the answer, as JSON
}

// sdkCaller calls an action through the typed method, request and response of a vendor's SDK.
type sdkCaller interface {
	call(t *testing.T, action string, request object) sdkAnswer
}

// callers are the SDKs, which share no code with the emulator, nor with each other.
func callers(t *testing.T, server *ecsemulator.Server) map[string]sdkCaller {
	t.Helper()
	compute, err := ecs1.NewClientWithAccessKey("cn-hangzhou", ecsemulator.DefaultAccessKeyID, ecsemulator.DefaultAccessKeySecret)
	if err != nil {
		t.Fatal(err)
	}
	network, err := vpc1.NewClientWithAccessKey("cn-hangzhou", ecsemulator.DefaultAccessKeyID, ecsemulator.DefaultAccessKeySecret)
	if err != nil {
		t.Fatal(err)
	}
	compute.Domain, network.Domain = server.Endpoint(), server.Endpoint()
	config := openapi.Config{
		AccessKeyId: tea.String(ecsemulator.DefaultAccessKeyID), AccessKeySecret: tea.String(ecsemulator.DefaultAccessKeySecret),
		Endpoint: tea.String(server.Endpoint()), Protocol: tea.String("http"), RegionId: tea.String("cn-hangzhou"),
	}
	newCompute, err := ecs7.NewClient(&config)
	if err != nil {
		t.Fatal(err)
	}
	newNetwork, err := vpc6.NewClient(&config)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]sdkCaller{
		"alibaba-cloud-sdk-go": firstSDK{map[string]any{"ecs": compute, "vpc": network}},
		"alibabacloud-go":      secondSDK{map[string]any{"ecs": newCompute, "vpc": newNetwork}},
	}
}

// serviceOf tells which client has an action.
func serviceOf(action string) string {
	if versionOf(action) == "2016-04-28" {
		return "vpc"
	}
	return "ecs"
}

// methodOf finds the method of an action and makes its request.
func methodOf(t *testing.T, clients map[string]any, action string) (method, request reflect.Value) {
	t.Helper()
	method = reflect.ValueOf(clients[serviceOf(action)]).MethodByName(action)
	if !method.IsValid() {
		t.Fatalf("the SDK has no %s", action)
	}
	return method, reflect.New(method.Type().In(0).Elem())
}

// firstSDK is alibaba-cloud-sdk-go: everything in the query, HMAC-SHA1.
type firstSDK struct{ clients map[string]any }

func (s firstSDK) call(t *testing.T, action string, wanted object) sdkAnswer {
	t.Helper()
	method, request := methodOf(t, s.clients, action)
	protocol := &requests.RpcRequest{}
	request.Elem().FieldByName("RpcRequest").Set(reflect.ValueOf(protocol))
	service := serviceOf(action)
	protocol.InitWithApiInfo(strings.ToUpper(service[:1])+service[1:], versionOf(action), action, service, "openAPI")
	protocol.Method = requests.POST
	left := flatten("", wanted)
	fillByName(t, request.Elem(), "", wanted, left)
	if region, given := wanted["RegionId"].(string); given {
		protocol.RegionId = region
		delete(left, "RegionId")
	}
	for name := range left {
		t.Fatalf("%s of the SDK has no parameter %s", action, name)
	}
	answers := method.Call([]reflect.Value{request})
	if err, failed := answers[1].Interface().(error); failed {
		var refused *sdkerrors.ServerError
		if !errors.As(err, &refused) {
			t.Fatalf("%s: %v", action, err)
		}
		return sdkAnswer{code: refused.ErrorCode(), status: refused.HttpStatus()}
	}
	return sdkAnswer{document: documentOf(t, answers[0].Interface())}
}

// flatten lists the parameters of a request by their names on the wire, for checking that each finds its place.
func flatten(prefix string, wanted object) map[string]bool {
	names := map[string]bool{}
	for name, value := range wanted {
		if nested, ok := value.(object); ok {
			for inner := range flatten(prefix+name+".", nested) {
				names[inner] = true
			}
			continue
		}
		names[prefix+name] = true
	}
	return names
}

// fillByName sets the fields of a request by their name tags, which may reach into nested objects: SystemDisk.Size.
func fillByName(t *testing.T, into reflect.Value, prefix string, wanted object, left map[string]bool) {
	t.Helper()
	for n := range into.NumField() {
		name, field := into.Type().Field(n).Tag.Get("name"), into.Field(n)
		value, given := lookUp(wanted, name)
		if name == "" || !given {
			continue
		}
		switch {
		case field.Kind() == reflect.Struct:
			fillByName(t, field, prefix+name+".", value.(object), left)
			continue
		case field.Kind() == reflect.String:
			field.SetString(fmt.Sprint(value))
		case field.Kind() == reflect.Pointer && field.Type().Elem().Kind() == reflect.Slice:
			items := reflect.MakeSlice(field.Type().Elem(), 0, 0)
			for _, item := range value.([]any) {
				made := reflect.New(items.Type().Elem()).Elem()
				if nested, ok := item.(object); ok {
					inner := flatten("", nested)
					fillByName(t, made, "", nested, inner)
					if len(inner) > 0 {
						t.Fatalf("%s of the SDK has no parameters %v", name, inner)
					}
				} else {
					made.SetString(fmt.Sprint(item))
				}
				items = reflect.Append(items, made)
			}
			field.Set(reflect.New(items.Type()))
			field.Elem().Set(items)
		default:
			t.Fatalf("no way to set %s", name)
		}
		delete(left, prefix+name)
	}
}

func lookUp(wanted object, name string) (any, bool) {
	if value, given := wanted[name]; given {
		return value, true
	}
	head, rest, dotted := strings.Cut(name, ".")
	nested, ok := wanted[head].(object)
	if !dotted || !ok {
		return nil, false
	}
	return lookUp(nested, rest)
}

// secondSDK is alibabacloud-go: ACS3-HMAC-SHA256 in headers.
type secondSDK struct{ clients map[string]any }

func (s secondSDK) call(t *testing.T, action string, wanted object) sdkAnswer {
	t.Helper()
	method, request := methodOf(t, s.clients, action)
	text, err := json.Marshal(wanted)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(request.Interface()); err != nil {
		t.Fatalf("%s of the SDK: %v", action, err)
	}
	if region := request.Elem().FieldByName("RegionId"); region.IsValid() && region.IsNil() {
		region.Set(reflect.ValueOf(tea.String("cn-hangzhou")))
	}
	answers := method.Call([]reflect.Value{request})
	if err, failed := answers[1].Interface().(error); failed {
		var refused interface {
			GetCode() *string
			GetStatusCode() *int
		}
		var older *tea.SDKError
		switch {
		case errors.As(err, &refused):
			return sdkAnswer{code: tea.StringValue(refused.GetCode()), status: tea.IntValue(refused.GetStatusCode())}
		case errors.As(err, &older):
			return sdkAnswer{code: tea.StringValue(older.Code), status: tea.IntValue(older.StatusCode)}
		}
		t.Fatalf("%s: %v", action, err)
	}
	return sdkAnswer{document: documentOf(t, answers[0].Elem().FieldByName("Body").Interface())}
}

// documentOf gives what an SDK decoded, without what only one of them keeps.
func documentOf(t *testing.T, answer any) object {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	document := object{}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	delete(document, "RequestId")
	return document
}

// differences compares what two SDKs hold of an answer. An SDK that does not know a field says nothing of it; one that knows it and
// finds nothing holds an empty value. Numbers and their texts are the same.
func differences(path string, one, other any) []string {
	switch a := one.(type) {
	case object:
		b, ok := other.(object)
		if !ok {
			break
		}
		var found []string
		for name, value := range a {
			if counterpart, known := b[name]; known {
				found = append(found, differences(path+"."+name, value, counterpart)...)
			}
		}
		return found
	case []any:
		b, ok := other.([]any)
		if !ok || len(a) != len(b) {
			break
		}
		var found []string
		for n := range a {
			found = append(found, differences(fmt.Sprintf("%s[%d]", path, n), a[n], b[n])...)
		}
		return found
	}
	if blank(one) && blank(other) || fmt.Sprint(one) == fmt.Sprint(other) {
		return nil
	}
	return []string{fmt.Sprintf("%s: %v and %v", path, one, other)}
}

func blank(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case object:
		for _, inner := range v {
			if !blank(inner) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	default:
		return slices.Contains([]string{"", "0", "false"}, fmt.Sprint(v))
	}
}
