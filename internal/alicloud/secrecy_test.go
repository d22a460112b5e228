package alicloud_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// TestUserDataStaysInMemory launches with a marker in the user data, under every kind
// of failure, and looks for the marker in all that comes out.
func TestUserDataStaysInMemory(t *testing.T) {
	t.Parallel()

	encoded := base64.StdEncoding.EncodeToString([]byte("#cloud-config\n# " + secretMarker + "\n"))
	echo := "server string to sign is:POST&%2F&UserData%3D" + url.QueryEscape(encoded)

	for name, rule := range map[string]*ecsemulator.Rule{
		"success":            nil,
		"connection cut":     {Kind: ecsemulator.RuleCut},
		"answer lost":        {Kind: ecsemulator.RuleCut, At: ecsemulator.MomentAfter},
		"page of a balancer": {Kind: ecsemulator.RuleHTML},
		"half an answer":     {Kind: ecsemulator.RuleMalformed},
		"malformed error":    {Kind: ecsemulator.RuleMalformed, Code: "X", HTTPStatus: 400},
		"echoed signature":   {Kind: ecsemulator.RuleError, Code: "SignatureDoesNotMatch", HTTPStatus: 400, Message: echo},
		"echoed user data":   {Kind: ecsemulator.RuleError, Code: "InvalidUserData.NotSupported", HTTPStatus: 400, Message: "UserData " + encoded + " #cloud-config\n# " + secretMarker + "\n"},
		"sold out":           {Kind: ecsemulator.RuleSoldOut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, settled())
			if rule != nil {
				rule.Action = "RunInstances"
				b.rule(t, *rule)
			}

			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()

			var told strings.Builder

			request := b.allocation(t, "worker-a")
			begun, err := b.begin(ctx, t, request)
			fmt.Fprintf(&told, "%+v %#v %v %+v %#v\n", begun, begun, err, err, err)

			response, err := b.driver.CreateMachine(ctx, b.createRequest(t, "worker-b"))
			fmt.Fprintf(&told, "%+v %#v %v %+v %#v\n", response, response, err, err, err)
			fmt.Fprintf(&told, "%+v %#v %+v %#v\n", b.cloud, b.cloud, b.driver, b.driver)
			told.WriteString(b.log.String())

			decoded, err := base64.RawURLEncoding.DecodeString(begun.Operation.ResumeToken)
			if err != nil {
				t.Fatal(err)
			}

			told.Write(decoded)

			for _, form := range []string{secretMarker, encoded[20:40], url.QueryEscape(encoded), b.key.Secret} {
				if strings.Contains(told.String(), form) {
					t.Errorf("the secret is told: %s", told.String())
				}
			}
		})
	}
}
