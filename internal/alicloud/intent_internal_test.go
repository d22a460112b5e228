package alicloud

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func someIntent(name string) *intent {
	return &intent{
		kind: "replace", name: name, key: operationKey("uid-1"), uid: operationKey("random"), holder: "abcd",
		since: time.Date(2026, 11, 29, 22, 13, 5, 0, time.UTC), before: forcedPrefix + "tabcde.12345678",
	}
}

func TestTheOperationTagIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()

	full := operationTag{}
	for n := range 40 {
		full = full.withDone(operationKey(fmt.Sprint("done", n)))
	}

	for name, tag := range map[string]operationTag{
		"nothing":                     {},
		"what is done":                operationTag{}.withDone(operationKey("a")).withDone(operationKey("b")),
		"what is under way":           {current: someIntent("kernel-2026-11")},
		"both":                        {current: someIntent("kernel"), done: full.done[:2*doneLength]},
		"a name of the longest":       {current: someIntent(strings.Repeat("n", 100))},
		"more than there is room for": {current: someIntent(strings.Repeat("n", 100)), done: full.done},
		"much that is done":           full,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			value := tag.encode()
			if len(value) > longestTagText {
				t.Fatalf("the value has %d characters: %s", len(value), value)
			}

			read, err := decodeOperationTag(value)
			if err != nil {
				t.Fatal(err)
			}

			if again := read.encode(); again != value {
				t.Errorf("read %q, and it would be written as %q", value, again)
			}

			if (read.current == nil) != (tag.current == nil) {
				t.Fatalf("read %+v", read)
			}

			if tag.current != nil {
				want, got := *tag.current, *read.current
				if !strings.HasPrefix(want.name, got.name) || got.name == "" {
					t.Errorf("the name %q became %q", want.name, got.name)
				}

				want.name, got.name = "", ""
				if got != want {
					t.Errorf("read %+v, want %+v", got, want)
				}
			}
		})
	}
}

func TestTheNewestEndsAreRemembered(t *testing.T) {
	t.Parallel()

	tag := operationTag{current: someIntent("kernel")}
	for n := range 30 {
		tag = tag.withDone(operationKey(fmt.Sprint("done", n)))
	}

	read, err := decodeOperationTag(tag.encode())
	if err != nil {
		t.Fatal(err)
	}

	for n := range 30 {
		if got, want := read.hasDone(operationKey(fmt.Sprint("done", n))), n >= 30-mostDone; got != want {
			t.Errorf("the end %d is remembered: %v, want %v", n, got, want)
		}
	}

	if read.withoutDone(operationKey("done29")).hasDone(operationKey("done29")) {
		t.Error("an end that was taken away is remembered")
	}

	// An end that is noted twice takes the room of one.
	if twice := read.withDone(operationKey("done29")); len(twice.done) != len(read.done) {
		t.Errorf("the ends became %q", twice.done)
	}
}

func FuzzTheOperationTagNeverMisleads(f *testing.F) {
	f.Add("")
	f.Add("done/abcde")
	f.Add(operationTag{current: someIntent("kernel"), done: "abcde"}.encode())
	f.Add("replace/kernel/short/uid/abcd/0/before/")
	f.Add("a/b/c/d/e/f/g/h/i")

	f.Fuzz(func(t *testing.T, value string) {
		read, err := decodeOperationTag(value)
		if err != nil {
			if !strings.Contains(err.Error(), tagOperation) {
				t.Errorf("the error does not name the tag: %v", err)
			}

			return
		}

		again, err := decodeOperationTag(read.encode())
		if err != nil || (again.current == nil) != (read.current == nil) {
			t.Errorf("%q is read as %+v, which is then read as %+v, %v", value, read, again, err)
		}
	})
}

func TestTheEndOfAConsoleIsShownWithoutWhatMovesTheCursor(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("line\n", 100) + "\x1b[31mlast\x1b[0m\r\n\xff"
	got := consoleTail(long)

	if strings.ContainsAny(got, "\x1b\r") || !strings.HasSuffix(got, "[31mlast[0m\n?") {
		t.Errorf("the end is %q", got[max(0, len(got)-40):])
	}

	if lines := strings.Count(got, "\n") + 1; lines > mostConsoleLines {
		t.Errorf("%d lines are shown", lines)
	}

	if got := consoleTail(strings.Repeat("é", 5000)); len(got) > longestConsoleTail {
		t.Errorf("%d bytes are shown", len(got))
	}
}
