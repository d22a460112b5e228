package ecsemulator_test

import (
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// powered is a machine that runs, in a cloud of this behavior.
func powered(t *testing.T, behavior ecsemulator.Behavior) (*ecsemulator.Server, *client, string) {
	t.Helper()
	server := still(t, ecsemulator.Options{Behavior: behavior})
	c := newClient(t, server)
	id := c.run(nil)
	step(t, server, time.Minute)
	return server, c, id
}

func TestAGuestThatIgnoresItsShutdown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		shutdown ecsemulator.Shutdown
		status   string
	}{
		{ecsemulator.ShutdownEnds, "Stopped"},
		{ecsemulator.ShutdownHangs, "Stopping"},
		{ecsemulator.ShutdownReverts, "Running"},
	} {
		t.Run(string(test.shutdown), func(t *testing.T) {
			t.Parallel()
			server, c, id := powered(t, ecsemulator.Behavior{GracefulStop: test.shutdown})
			c.ok("StopInstance", values{"InstanceId": id})
			step(t, server, time.Hour)
			if got := server.Instances()[0].Status; got != test.status {
				t.Fatalf("after a graceful stop it is %s, want %s", got, test.status)
			}
			if test.status == "Stopped" {
				return
			}
			if test.status == "Stopping" {
				c.refused("StopInstance", values{"InstanceId": id}, "IncorrectInstanceStatus", 403)
			}
			c.ok("StopInstance", values{"InstanceId": id, "ForceStop": "true"})
			step(t, server, time.Minute)
			if got := server.Instances()[0].Status; got != "Stopped" {
				t.Errorf("after a forced stop it is %s", got)
			}
		})
	}
}

func TestARebootAndTheStartTime(t *testing.T) {
	t.Parallel()
	for _, keeps := range []bool{false, true} {
		server, c, id := powered(t, ecsemulator.Behavior{RebootKeepsStartTime: keeps})
		told := func() string { return c.ok("DescribeInstances", nil).text(t, "Instances", "Instance", 0, "StartTime") }
		console := func() string {
			return c.ok("GetInstanceConsoleOutput", values{"InstanceId": id}).text(t, "LastUpdateTime")
		}
		started, written := told(), console()
		step(t, server, time.Hour)
		c.ok("RebootInstance", values{"InstanceId": id})
		step(t, server, time.Minute)
		if (told() == started) != keeps {
			t.Errorf("the start time was %s and is %s", started, told())
		}
		if console() == written {
			t.Error("a reboot does not write the console")
		}
	}
}

func TestACloudWithoutConsoles(t *testing.T) {
	t.Parallel()
	_, c, id := powered(t, ecsemulator.Behavior{NoConsole: true})
	c.refused("GetInstanceConsoleOutput", values{"InstanceId": id}, "NotSupported", 405)
}

func TestAnUnknownShutdownIsRefused(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	if err := server.SetBehavior(ecsemulator.Behavior{GracefulStop: "never"}); err == nil {
		t.Error("it is taken")
	}
}
