// Command bench-provider is one of the providers that the benchmark sets beside the
// product: BENCH_PROVIDER_MODE says which.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/terraform-machine/terraform-provider-machine/internal/bench"
)

func main() {
	if err := bench.ServeReference(context.Background(), os.Getenv(bench.ModeVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
