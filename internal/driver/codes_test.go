package driver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

func TestCodesHaveTheNumbersAndNamesOfGRPC(t *testing.T) {
	t.Parallel()

	for number, name := range []string{
		"OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists", "PermissionDenied", "ResourceExhausted",
		"FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated",
	} {
		if got := driver.Code(uint32(number)).String(); got != name {
			t.Errorf("code %d is %s, want %s", number, got, name)
		}
	}

	if got := driver.Code(17).String(); got != "Code(17)" {
		t.Errorf("an unknown code is %s", got)
	}

	if driver.CodeNotFound != 5 || driver.CodeUnauthenticated != 16 {
		t.Error("the numbers have moved")
	}
}

func TestCodeIsFoundInTheChain(t *testing.T) {
	t.Parallel()

	var none *driver.Error

	coded := driver.NewError(driver.CodeNotFound, "looking: %w", context.Canceled)

	for name, want := range map[string]struct {
		err  error
		code driver.Code
	}{
		"nil":                {nil, driver.CodeOK},
		"without a code":     {errors.New("plain"), driver.CodeUnknown},
		"itself":             {coded, driver.CodeNotFound},
		"wrapped":            {fmt.Errorf("outside: %w", coded), driver.CodeNotFound},
		"joined":             {errors.Join(errors.New("plain"), coded), driver.CodeNotFound},
		"the nearest of two": {driver.NewError(driver.CodeUnavailable, "outside: %w", coded), driver.CodeUnavailable},
		"a nil *Error":       {none, driver.CodeUnknown},
	} {
		if got := driver.CodeOf(want.err); got != want.code {
			t.Errorf("%s: the code is %s, want %s", name, got, want.code)
		}
	}

	if !errors.Is(coded, context.Canceled) || coded.Error() != "looking: context canceled" {
		t.Errorf("the cause is lost: %v", coded)
	}
}

func TestErrorWithoutACauseSaysItsCode(t *testing.T) {
	t.Parallel()

	if got := (&driver.Error{Code: driver.CodeUnavailable}).Error(); got != "Unavailable" {
		t.Errorf("the text is %q", got)
	}

	var none *driver.Error
	if got := none.Error(); got != "Unknown" || none.Unwrap() != nil {
		t.Errorf("the text of nil is %q", got)
	}
}

func TestProviderIDIsWrittenInItsCanonicalForm(t *testing.T) {
	t.Parallel()

	if got := (driver.ProviderID{Region: "cn-hangzhou", ResourceID: "i-bp1abc"}).String(); got != "cn-hangzhou.i-bp1abc" {
		t.Errorf("the provider ID is %s", got)
	}
}
