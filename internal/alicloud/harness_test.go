package alicloud_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/spi"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	region = "cn-hangzhou"
	// secretMarker stands in user data, and may be found nowhere else.
	secretMarker = "marker-7f3a91c2d4e8b605"
)

// log collects what clients log.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.text.Write(line)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.text.String()
}

// bench is an emulator and what works on it.
type bench struct {
	*ecsemulator.Server
	cloud  *alicloud.Cloud
	driver driver.Driver
	log    *log
	key    ecsemulator.AccessKey
	// clock is that of every process; nil is the real one.
	clock clock.WithTickerAndDelayedExecution
}

// newBench starts an emulator. New machines run at once unless options say
// otherwise.
func newBench(t testing.TB, options ecsemulator.Options) *bench {
	t.Helper()

	key := ecsemulator.AccessKey{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}
	if len(options.AccessKeys) > 0 {
		key = options.AccessKeys[0]
	}

	server, err := ecsemulator.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})

	b := &bench{Server: server, log: &log{}, key: key}
	b.cloud = b.process(t)
	b.driver = alicloud.NewAlicloudPlugin(b.spi(t))

	return b
}

// settled makes new machines run, and released ones vanish, at once.
func settled() ecsemulator.Options {
	return ecsemulator.Options{PendingDuration: -1, BootDuration: -1, ReleaseDuration: -1}
}

// process returns the cloud as another process would build it.
func (b *bench) process(t testing.TB) *alicloud.Cloud {
	t.Helper()

	cloud, err := alicloud.New(driver.Settings{
		Region:    region,
		Endpoints: map[string]string{"ecs": b.Endpoint(), "vpc": b.Endpoint(), "sts": b.Endpoint()},
		Protocol:  "http",
		Clock:     b.clock,
		Logger:    slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}

	return cloud
}

func (b *bench) spi(t testing.TB) spi.PluginSPI {
	t.Helper()

	plugin, ok := b.cloud.Observer().(spi.PluginSPI)
	if !ok {
		t.Fatal("the plugin is no PluginSPI")
	}

	return plugin
}

func (b *bench) auth() *machineops.OperationAuth {
	auth, err := alicloud.Auth(driver.Settings{}, map[string]string{alicloud.SecretAccessKeyID: b.key.ID, alicloud.SecretAccessKeySecret: b.key.Secret})
	if err != nil {
		panic(err)
	}

	return auth
}

func (b *bench) secret() *corev1.Secret {
	return &corev1.Secret{Data: map[string][]byte{
		alicloud.SecretAccessKeyID:     []byte(b.key.ID),
		alicloud.SecretAccessKeySecret: []byte(b.key.Secret),
		alicloud.SecretUserData:        []byte("#cloud-config\n# " + secretMarker + "\n"),
	}}
}

// counted returns the calls that f made, by action.
func (b *bench) counted(f func()) map[string]int {
	b.ResetCalls()
	f()

	return b.Counts()
}

func (b *bench) rule(t *testing.T, rule ecsemulator.Rule) string {
	t.Helper()

	added, err := b.AddRule(rule)
	if err != nil {
		t.Fatal(err)
	}

	return added.ID
}

func (b *bench) step(t *testing.T, d time.Duration) {
	t.Helper()

	if err := b.Step(d); err != nil {
		t.Fatal(err)
	}
}

// add puts a machine into the cloud that no call made.
func (b *bench) add(t *testing.T, machine ecsemulator.NewInstance) driver.ProviderID {
	t.Helper()

	instance, err := b.AddInstance(machine)
	if err != nil {
		t.Fatal(err)
	}

	return driver.ProviderID{Region: instance.RegionID, ResourceID: instance.ID}
}

// alive returns the IDs of the machines that are there and not being released.
func (b *bench) alive() []string {
	var ids []string

	for _, instance := range b.Instances() {
		if !instance.Releasing {
			ids = append(ids, instance.ID)
		}
	}

	return ids
}

func (b *bench) instance(t *testing.T, id string) ecsemulator.Instance {
	t.Helper()

	for _, instance := range b.Instances() {
		if instance.ID == id {
			return instance
		}
	}

	t.Fatalf("there is no instance %s", id)

	return ecsemulator.Instance{}
}

// class returns a class that the emulator has, changed by edit.
func class(t testing.TB, edit func(map[string]any)) machineops.ProviderConfig {
	t.Helper()

	content := map[string]any{
		"region":             region,
		"image_id":           "m-acme2",
		"instance_types":     []string{"ecs.g7.xlarge"},
		"vswitch_ids":        []string{"vsw-a"},
		"security_group_ids": []string{"sg-1"},
	}
	if edit != nil {
		edit(content)
	}

	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}

	return machineops.ProviderConfig{Data: map[string]string{alicloud.ConfigKey: string(text)}}
}

func offering() v1alpha3.MachineClassOffering {
	return v1alpha3.MachineClassOffering{
		ID: "ecs.g7.xlarge/vsw-a/on_demand", InstanceType: "ecs.g7.xlarge", Region: region,
		Zone: "cn-hangzhou-h", Network: "vsw-a", CapacityType: v1alpha3.CapacityTypeOnDemand,
	}
}

// allocation returns a request for a machine of class().
func (b *bench) allocation(t *testing.T, name string) machineops.OperationRequest {
	t.Helper()

	return machineops.OperationRequest{
		MachineName:  name,
		OperationUID: types.UID("operation-uid-of-" + name),
		Operation:    v1alpha3.OperationHostAllocate,
		Parameters: map[string]string{
			v1alpha3.ParameterOwner: "platform/test", v1alpha3.ParameterClaim: "claim-of-" + name, v1alpha3.ParameterFingerprint: "fingerprint",
		},
		Auth: b.auth(),
		Allocation: &machineops.AllocationRequest{
			Name: name, UID: types.UID("uid-of-" + name), ClassName: "worker", ClassUID: "class-uid",
			ProviderConfig: class(t, nil), Offering: offering(), UserData: "#cloud-config\n# " + secretMarker + "\n",
		},
	}
}

// release returns the request to give back what a result owns.
func release(request machineops.OperationRequest, owned ...v1alpha3.ProviderOwnedResource) machineops.OperationRequest {
	request.Operation = v1alpha3.OperationHostRelease
	request.OperationUID += "-release"

	allocation := *request.Allocation
	allocation.ProviderConfig, allocation.UserData, allocation.OwnedResources = machineops.ProviderConfig{}, "", owned
	request.Allocation = &allocation

	return request
}

func owned(id driver.ProviderID) v1alpha3.ProviderOwnedResource {
	return v1alpha3.ProviderOwnedResource{Kind: v1alpha3.OwnedResourceInstance, ID: id.ResourceID, Region: id.Region}
}

func (b *bench) begin(ctx context.Context, t *testing.T, request machineops.OperationRequest) (machineops.BeginResult, error) {
	t.Helper()

	return b.operation(t, request).Begin(ctx, request)
}

func (b *bench) poll(t *testing.T, request machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
	t.Helper()

	return b.operation(t, request).Poll(t.Context(), request, handle)
}

func (b *bench) operation(t *testing.T, request machineops.OperationRequest) *machineops.Operation {
	t.Helper()

	operation, ok := b.cloud.Registration().Operation(request.Operation)
	if !ok {
		t.Fatalf("%s is not registered", request.Operation)
	}

	return operation
}

// launch launches the request's machine.
func (b *bench) launch(t *testing.T, request machineops.OperationRequest) (driver.ProviderID, machineops.ProviderOperation) {
	t.Helper()

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	looked, err := b.poll(t, request, begun.Operation)
	if err != nil {
		t.Fatal(err)
	}

	text := looked.Result.ProviderID
	_, resource, _ := strings.Cut(text, ".")

	return driver.ProviderID{Region: region, ResourceID: resource}, begun.Operation
}

func wantCounts(t *testing.T, got, want map[string]int) {
	t.Helper()

	if !maps.Equal(got, want) {
		t.Errorf("calls: %v, want %v", got, want)
	}
}

func wantCode(t *testing.T, err error, code driver.Code, texts ...string) {
	t.Helper()

	if got := driver.CodeOf(err); got != code {
		t.Fatalf("the code is %s, want %s: %v", got, code, err)
	}

	wantTexts(t, err, texts...)
}

func wantTexts(t *testing.T, err error, texts ...string) {
	t.Helper()

	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("the error lacks %q: %v", text, err)
		}
	}

	if err != nil && strings.Contains(err.Error(), secretMarker) {
		t.Error("the error holds user data")
	}
}

func sameElements(got, want []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
}
