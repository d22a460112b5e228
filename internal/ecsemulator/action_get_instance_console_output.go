package ecsemulator

import (
	"encoding/base64"
	"fmt"
)

const getInstanceConsoleOutputParameters = `
string: InstanceId
boolean: RemoveSymbols
`

type consoleOutputAnswer struct {
	InstanceID     string `json:"InstanceId"`
	ConsoleOutput  string
	LastUpdateTime string
}

// getInstanceConsoleOutput gives what a Linux guest wrote at its last start, reboot or stop.
func getInstanceConsoleOutput() *action {
	return ecsAction("GetInstanceConsoleOutput", getInstanceConsoleOutputParameters, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		switch {
		case refusal != nil:
			return nil, refusal
		case i.image.OSType == "windows" || c.server.behavior.NoConsole:
			return nil, refuse(405, "NotSupported", "The operation is not supported for Windows instances.")
		case i.status(c.now) == statusPending:
			return nil, refuse(405, "IncorrectInstanceStatus", "The current status of the resource does not support this operation.")
		}
		at := i.consoleAt
		if at.IsZero() {
			at = i.startedAt
		}
		text := fmt.Sprintf("[    0.000000] Linux version 5.10 (%s)\n[    0.000000] Command line: console=ttyS0\n", i.image.OSNameEn)
		if i.userData != "" {
			text += "cloud-init: the user data was run\n"
		}
		switch i.status(c.now) {
		case statusRunning:
			text += fmt.Sprintf("\n%s\n\n%s login: ", i.image.OSNameEn, i.hostName)
		case statusStopping, statusStopped:
			text += "reboot: Power down\n"
		}
		return consoleOutputAnswer{i.id, base64.StdEncoding.EncodeToString([]byte(text)), at.Format(secondLayout)}, nil
	})
}
