package crashtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func open(t *testing.T, path, build string) *Progress {
	t.Helper()

	progress, err := OpenProgress(path, build)
	if err != nil {
		t.Fatal(err)
	}

	return progress
}

func closed(t *testing.T, progress *Progress) {
	t.Helper()

	if err := progress.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestARunGoesOnWhereItWas(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "progress")
	progress := open(t, path, "one")
	calls := 0

	discover := func(progress *Progress) {
		t.Helper()

		found, err := progress.Remember("", func(ctx context.Context, scenario string, setting Setting) ([]Call, error) {
			calls++

			return twoCalls(ctx, scenario, setting)
		})(t.Context(), "create", Setting{})
		if err != nil || len(found) != 2 {
			t.Errorf("%v, %v", found, err)
		}
	}

	discover(progress)

	if err := progress.Add(Verdict{Point: "a", Leaks: []string{"i-1"}}); err != nil {
		t.Fatal(err)
	}

	closed(t, progress)

	// The harness was killed while it wrote.
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := file.WriteString(`{"verdict":{"po`); err != nil {
		t.Fatal(err)
	}

	if err := file.Close(); err != nil {
		t.Fatal(err)
	}

	progress = open(t, path, "one")
	discover(progress)

	if verdict, known := progress.Verdict("a"); !known || verdict.Good() {
		t.Errorf("%v, %t", verdict, known)
	}

	if err := progress.Add(Verdict{Point: "b"}); err != nil {
		t.Fatal(err)
	}

	closed(t, progress)

	progress = open(t, path, "one")
	if _, known := progress.Verdict("b"); !known || calls != 1 {
		t.Errorf("known %t, %d discoveries", known, calls)
	}

	closed(t, progress)

	// What was found of one provider says nothing about another.
	progress = open(t, path, "two")
	if _, known := progress.Verdict("a"); known {
		t.Error("a verdict outlived the provider")
	}

	closed(t, progress)
}
