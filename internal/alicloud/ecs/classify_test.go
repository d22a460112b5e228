package ecs

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// codeRow is one documented failure. The file is a copy of the documentation of
// its own, and not made from the rules under test.
type codeRow struct {
	code, action, message string
	status                int
	class                 Class
	scopes                string
}

func documentedCodes(t *testing.T) []codeRow {
	t.Helper()
	file, err := os.Open("testdata/error_codes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rows []codeRow
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		line := scanner.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 6 {
			t.Fatalf("row %q has %d cells", line, len(cells))
		}
		status, err := strconv.Atoi(cells[1])
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, codeRow{code: cells[0], status: status, action: cells[2], message: cells[3], class: Class(cells[4]), scopes: cells[5]})
	}
	if len(rows) < 340 {
		t.Fatalf("only %d rows", len(rows))
	}
	return rows
}

func TestEveryDocumentedCodeHasItsClassAndScopes(t *testing.T) {
	t.Parallel()
	for _, row := range documentedCodes(t) {
		got := classify(row.action, row.code, row.message, row.status)
		if got.class != row.class || got.scopes.String() != row.scopes {
			t.Errorf("%s (HTTP %d, action %q, message %q): class %q scopes %q, want %q %q",
				row.code, row.status, row.action, row.message, got.class, got.scopes, row.class, row.scopes)
		}
	}
}

func TestEveryDocumentedCodeIsListedAndNotLeftToItsFamily(t *testing.T) {
	t.Parallel()
	index := codeIndex()
	for _, row := range documentedCodes(t) {
		listed := len(index.exact[row.code]) > 0
		for _, rule := range index.prefixes {
			listed = listed || strings.HasPrefix(row.code, rule.codes[0])
		}
		if !listed {
			t.Errorf("%s is not listed", row.code)
		}
	}
}

func TestNoCodeIsListedTwiceWithoutSomethingThatDecides(t *testing.T) {
	t.Parallel()
	for code, rules := range codeIndex().exact {
		for _, rule := range rules[:len(rules)-1] {
			if rule.status == 0 && rule.action == "" && rule.message == "" {
				t.Errorf("%s: a general rule hides the %d behind it", code, len(rules)-1)
			}
		}
	}
}

func TestUnlistedCodesFallToTheirFamilyThenToTheStatus(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code   string
		status int
		class  Class
	}{
		"throttling prefix":           {"Throttling.Tomorrow", 400, ClassThrottled},
		"rejected throttling":         {"Rejected.Throttling.More", 400, ClassThrottled},
		"429 of any code":             {"Whatever", 429, ClassThrottled},
		"5xx of any code":             {"Whatever", 502, ClassTransient},
		"no stock, even with 5xx":     {"SomeResource.NoStock", 500, ClassCapacity},
		"not on sale":                 {"Type.NotOnSale", 403, ClassCapacity},
		"capacity not enough":         {"InvalidThing.CapacityNotEnough", 400, ClassCapacity},
		"internal error prefix":       {"InternalError.Sometimes", 400, ClassTransient},
		"conflict suffix":             {"Thing.Conflict", 409, ClassTransient},
		"processing":                  {"LastThingProcessing", 400, ClassTransient},
		"token processing":            {"NextTokenProcessing", 400, ClassTokenProcessing},
		"incorrect status":            {"IncorrectEniStatus", 400, ClassConflict},
		"incorrect instance status":   {"IncorrectInstanceStatus.Moving", 403, ClassConflict},
		"quota prefix":                {"QuotaExceeded.Tomorrow", 403, ClassQuota},
		"limit suffix":                {"SomethingLimitExceed", 403, ClassQuota},
		"forbidden":                   {"Forbidden.Tomorrow", 403, ClassPermission},
		"no permission":               {"NoPermission.Tomorrow", 403, ClassPermission},
		"account":                     {"Account.Tomorrow", 403, ClassAccount},
		"anything else in 4xx":        {"Whatever", 418, ClassConfiguration},
		"404 of any code is not gone": {"InvalidThing.NotFound", 404, ClassConfiguration},
		"page of a balancer":          {"", 502, ClassTransient},
		"page of a proxy":             {"", 407, ClassConfiguration},
		"timeout of a proxy":          {"", 408, ClassTransient},
		"429 without code":            {"", 429, ClassThrottled},
		"redirect":                    {"", 302, ClassConfiguration},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := classify("RunInstances", test.code, "", test.status).class; got != test.class {
				t.Errorf("%s (HTTP %d) is %q, want %q", test.code, test.status, got, test.class)
			}
		})
	}
}

func TestOverloadedOperationDeniedWithoutKnownMessageIsConfiguration(t *testing.T) {
	t.Parallel()
	if got := classify("ModifyInstanceAttribute", "OperationDenied", "The operation is not permitted.", 403).class; got != ClassConfiguration {
		t.Errorf("class %q", got)
	}
}
