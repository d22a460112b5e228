package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// An account whose clock is slowed down goes on with its machines and its time, and a
// provider that starts then has the same time.
func TestAnAccountGoesOnAtAnotherPace(t *testing.T) {
	t.Parallel()

	l := &laboratory{directory: t.TempDir(), factor: 1000}

	account, err := l.account(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}

	defer func() {
		if err := account.Close(); err != nil {
			t.Error(err)
		}
	}()

	machine, err := account.AddInstance(ecsemulator.NewInstance{})
	if err != nil {
		t.Fatal(err)
	}

	if err := account.Step(time.Hour); err != nil {
		t.Fatal(err)
	}

	before := account.Now()
	if err := account.pace(t.Context(), closely); err != nil {
		t.Fatal(err)
	}

	if account.Now().Before(before) {
		t.Errorf("it was %s, and is %s", before, account.Now())
	}

	if machines := account.Instances(); len(machines) != 1 || machines[0].ID != machine.ID {
		t.Errorf("the machines are %v", machines)
	}

	variables := account.variables()

	origin, err := time.Parse(time.RFC3339Nano, variables["TF_MACHINE_CLOCK_ORIGIN"])
	if err != nil || variables["TF_MACHINE_CLOCK_FACTOR"] != "2" {
		t.Fatalf("a provider is told %v (%v)", variables, err)
	}

	// The provider's clock has run since then at that factor, as this one has: an hour
	// would lie between them otherwise.
	told := origin.Add(closely * time.Since(origin))
	if apart := account.Now().Sub(told).Abs(); apart > time.Minute {
		t.Errorf("a provider is %s apart", apart)
	}

	if endpoint := variables["ALIBABA_CLOUD_ENDPOINT_ECS"]; !strings.HasPrefix(account.Endpoint(), endpoint) {
		t.Errorf("a provider is told %q, and the endpoint is %q", endpoint, account.Endpoint())
	}
}

// The machines of a generated state have addresses of one vSwitch, which are more than
// those of the built-in catalogue have.
func TestALargeFleetFindsRoom(t *testing.T) {
	t.Parallel()

	const machines = 5000

	l := &laboratory{directory: t.TempDir(), factor: 1}

	account, err := l.roomyAccount(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	defer func() {
		if err := account.Close(); err != nil {
			t.Error(err)
		}
	}()

	for number := range machines {
		if _, err := account.AddInstance(ecsemulator.NewInstance{VSwitchID: "vsw-a"}); err != nil {
			t.Fatalf("machine %d: %v", number, err)
		}
	}
}
