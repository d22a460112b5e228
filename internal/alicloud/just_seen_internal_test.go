package alicloud

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

func TestALookIsHandedOnOnceAndForAMoment(t *testing.T) {
	t.Parallel()

	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC))
	looks := &justSeen{clock: clock}
	one, other := driver.ProviderID{Region: "cn-hangzhou", ResourceID: "i-1"}, driver.ProviderID{Region: "cn-beijing", ResourceID: "i-1"}

	looks.put(one, ecs.Instance{ID: "i-1"})

	if _, there := looks.take(other); there {
		t.Error("a look at a machine of another region was taken")
	}

	if instance, there := looks.take(one); !there || instance.ID != "i-1" {
		t.Errorf("the look was lost: %v", instance)
	}

	if _, there := looks.take(one); there {
		t.Error("a look was taken twice")
	}

	looks.put(one, ecs.Instance{ID: "i-1"})
	looks.forget(one)

	if _, there := looks.take(one); there {
		t.Error("a look was taken that a change had made old")
	}

	looks.put(one, ecs.Instance{ID: "i-1"})
	clock.SetTime(clock.Now().Add(justSeenFor + time.Millisecond))

	if _, there := looks.take(one); there {
		t.Error("an old look was taken")
	}

	looks.put(one, ecs.Instance{ID: "i-1"})
	clock.SetTime(clock.Now().Add(justSeenFor + time.Millisecond))
	looks.put(other, ecs.Instance{ID: "i-1"})

	if len(looks.looks) != 1 {
		t.Errorf("%d looks are kept", len(looks.looks))
	}
}

func TestWithoutAPlaceForLooksNoneIsKept(t *testing.T) {
	t.Parallel()

	var looks *justSeen

	looks.put(driver.ProviderID{ResourceID: "i-1"}, ecs.Instance{ID: "i-1"})

	if _, there := looks.take(driver.ProviderID{ResourceID: "i-1"}); there {
		t.Error("a look was kept")
	}
}
