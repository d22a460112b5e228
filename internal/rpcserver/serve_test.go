package rpcserver

import (
	"strings"
	"testing"
)

func TestServeRefusesAnAddressThatIsNotFull(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "tiny", "example/tiny", "registry.terraform.io//tiny", "a/b/c/d", "a/b/"} {
		err := Serve(t.Context(), nil, Options{Address: address})
		if err == nil || !strings.Contains(err.Error(), "host/namespace/type") {
			t.Errorf("the address %q is answered with %v", address, err)
		}
	}
}
