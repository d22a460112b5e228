package lifecycle_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func stored(t *testing.T, name string) []byte {
	t.Helper()

	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}

	return bytes.TrimSpace(content)
}

// firstRecord is what testdata/record_v1.json says.
func firstRecord() lifecycle.Record {
	return lifecycle.Record{
		Version: 1,
		Operation: &lifecycle.PendingOperation{
			Provider: "Alicloud", Kind: v1alpha3.OperationHostAllocate, OperationUID: "0f9a6f1c2d3e4b5a60718293a4b5c6d7",
			OperationID: "473469C7-AA6F-4DC5-B3DB-A3DC0DE3C83E", ResumeToken: "eyJ2IjoxfQ",
			BeganAt: start(), Stage: lifecycle.StageBegun, Attempts: 2,
		},
		OwnedResources: []v1alpha3.ProviderOwnedResource{{Kind: v1alpha3.OwnedResourceInstance, ID: "i-bp1abc", Region: "cn-hangzhou"}},
		Claim:          "c0ffee",
	}
}

// fullRecord has every field set, and is what testdata/record_v2.json says.
func fullRecord() lifecycle.Record {
	record := firstRecord()
	record.Version = 2
	record.Operation.Stage = lifecycle.StageApplied
	record.Operation.Claim = "c0ffee"
	record.Operation.Reason, record.Operation.Message = "Broken", "it broke"
	record.Operation.Result = &lifecycle.RecordedResult{
		ProviderID: "cn-hangzhou.i-bp1abc", CleanupProviderID: "cn-hangzhou.i-bp1old",
		Allocation: &v1alpha3.MachineOperationAllocationResult{
			ProviderResourceID: "i-bp1abc", InstanceType: "ecs.g7.xlarge", Zone: "cn-hangzhou-h", Image: "m-1",
			OwnedResources: []v1alpha3.ProviderOwnedResource{
				{Kind: v1alpha3.OwnedResourceInstance, ID: "i-bp1abc", Region: "cn-hangzhou"},
				{Kind: v1alpha3.OwnedResourceDisk, ID: "d-1", Region: "cn-hangzhou", OutlivesHost: true},
			},
		},
	}

	return record
}

func TestRecordsOfEveryVersionAreRead(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]lifecycle.Record{"record_v1.json": firstRecord(), "record_v2.json": fullRecord()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			record, err := lifecycle.DecodeRecord(stored(t, name))
			if err != nil || !reflect.DeepEqual(record, want) {
				t.Errorf("read %+v, %v, want %+v", record, err, want)
			}
		})
	}
}

func TestRecordIsWrittenInTheStoredForm(t *testing.T) {
	t.Parallel()

	encoded, err := fullRecord().Encode()
	if err != nil || !bytes.Equal(encoded, stored(t, "record_v2.json")) {
		t.Errorf("written is %s, %v: a changed form needs a new version and a new file beside this one", encoded, err)
	}
}

func TestRecordOfAnEarlierVersionIsWrittenAsTheCurrentOne(t *testing.T) {
	t.Parallel()

	encoded, err := firstRecord().Encode()
	if err != nil {
		t.Fatal(err)
	}

	want := firstRecord()
	want.Version = lifecycle.RecordVersion

	if record, err := lifecycle.DecodeRecord(encoded); err != nil || !reflect.DeepEqual(record, want) {
		t.Errorf("read back %+v, %v, want %+v", record, err, want)
	}
}

func TestNothingIsAnEmptyRecord(t *testing.T) {
	t.Parallel()

	record, err := lifecycle.DecodeRecord(nil)
	if err != nil || !reflect.DeepEqual(record, lifecycle.Record{Version: lifecycle.RecordVersion}) {
		t.Errorf("read %+v, %v", record, err)
	}
}

func TestWhatCannotBeActedOnIsRefused(t *testing.T) {
	t.Parallel()

	full := string(stored(t, "record_v2.json"))

	for name, test := range map[string]struct{ encoded, text string }{
		"a later version":                       {strings.Replace(full, `"version":2`, `"version":3`, 1), "version 3, and this provider reads versions 1 to 2"},
		"a later version of another form":       {`{"version":7,"operation":["other"]}`, "version 7"},
		"no version":                            {`{"claim":"c"}`, "version 0"},
		"a negative version":                    {`{"version":-1}`, "version -1"},
		"half of it":                            {full[:len(full)/2], "reading the resume record"},
		"not JSON":                              {"\x00\x01", "reading the resume record"},
		"another JSON":                          {`"text"`, "reading the resume record"},
		"an operation of another form":          {`{"version":2,"operation":7}`, "reading the resume record"},
		"an operation that nobody can name":     {`{"version":2,"operation":{}}`, "does not say which operation"},
		"an unknown stage":                      {strings.Replace(full, `"applied"`, `"polished"`, 1), `"polished" is unknown`},
		"an operation begun without its handle": {`{"version":2,"operation":{"provider":"P","kind":"HostReboot","operation_uid":"u","stage":"begun"}}`, "handle is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			record, err := lifecycle.DecodeRecord([]byte(test.encoded))
			if err == nil || !strings.Contains(err.Error(), test.text) {
				t.Fatalf("error is %v, want one that says %q", err, test.text)
			}

			if !reflect.DeepEqual(record, lifecycle.Record{}) {
				t.Errorf("got %+v beside the error", record)
			}
		})
	}
}

func TestRecordHasNoPlaceForASecret(t *testing.T) {
	t.Parallel()

	secretive := regexp.MustCompile(`(?i)user.?data|password|secret|auth|config|key|parameter`)

	var walk func(reflect.Type, string)

	walk = func(kind reflect.Type, path string) {
		switch kind.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(kind.Elem(), path)
		case reflect.Map, reflect.Interface:
			t.Errorf("%s can hold anything", path)
		case reflect.Struct:
			if kind.PkgPath() == "time" {
				return
			}

			for i := range kind.NumField() {
				field := kind.Field(i)
				if secretive.MatchString(field.Name) {
					t.Errorf("%s.%s sounds like a secret", path, field.Name)
				}

				walk(field.Type, path+"."+field.Name)
			}
		default:
		}
	}

	walk(reflect.TypeFor[lifecycle.Record](), "Record")
}
