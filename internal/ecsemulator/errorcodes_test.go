package ecsemulator_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// refusal is an error code with its HTTP status.
type refusal struct {
	code   string
	status int
}

// documented reads testdata/error-codes.tsv: code, status, and where the documentation gives them.
func documented() (map[refusal]string, error) {
	text, err := os.ReadFile(filepath.Join("testdata", "error-codes.tsv"))
	if err != nil {
		return nil, err
	}
	codes := map[refusal]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 || fields[2] == "" {
			return nil, fmt.Errorf("error-codes.tsv: %q is not a code, a status and a source", line)
		}
		status, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("error-codes.tsv: %w", err)
		}
		if _, twice := codes[refusal{fields[0], status}]; twice {
			return nil, fmt.Errorf("error-codes.tsv: %s is there twice", fields[0])
		}
		codes[refusal{fields[0], status}] = fields[2]
	}
	return codes, nil
}

// computed are the refusals whose code or status the source does not spell out, by the text of status and code.
func computed() map[string][]refusal {
	return map[string][]refusal{
		`400, "Missing" + parameter.name`: {
			{"MissingAction", 400}, {"MissingVersion", 400}, {"MissingAccessKeyId", 400}, {"MissingTimestamp", 400}, {"MissingSignatureNonce", 400},
		},
		`401, "AuthenticationFail." + code`: {
			{"AuthenticationFail.NoPermission", 401},
			{"AuthenticationFail.OIDCToken.Invalid", 401},
			{"AuthenticationFail.OIDCToken.Expired", 401},
			{"AuthenticationFail.OIDCToken.AudienceNotMatch", 401},
		},
		`400, mismatchCode(c.action.name)`:                             {{"IdempotentParameterMismatch", 400}, {"IdempotenceParamNotMatch", 400}},
		`behavior.TokenProcessingStatus, behavior.TokenProcessingCode`: {{"IdempotentProcessing", 403}, {"LastTokenProcessing", 403}},
		`status, b.NoAddressCode`:                                      {{"QuotaExceeded.PrivateIpAddress", 400}, {"InvalidVSwitchId.IpNotEnough", 403}},
		`404, c.server.behavior.DeleteNotFoundCode`:                    {{"InvalidInstanceId.NotFound", 404}, {"InvalidInstanceIds.NotFound", 404}},
		`400, c.server.behavior.DryRunDeleteCode`:                      {{"DRYRUN.SUCCESS", 400}, {"DryRunOperation", 400}},
		`rule.HTTPStatus, rule.Code`:                                   nil, // whatever the rule says
	}
}

// assigned are the refusals that are not made by refuse but changed or completed later, by the text of what is assigned to a Code.
func assigned() map[string]refusal {
	return map[string]refusal{
		`"IllegalTimestamp"`:            {"IllegalTimestamp", 400},
		`"Forbidden.AccessKeyDisabled"`: {"Forbidden.AccessKeyDisabled", 403},
		`"InvalidAction"`:               {"InvalidAction", 403},
		`"InvalidParameter"`:            {"InvalidParameter", 400},
		`"Throttling.User"`:             {"Throttling.User", 400},
	}
}

// walked finds every refusal in the source.
func walked(t *testing.T) map[refusal]bool {
	t.Helper()
	found := map[refusal]bool{{"InvalidAccessKeyId.NotFound", 400}: true} // of the older vintage, where only the status changes
	files := token.NewFileSet()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.CallExpr:
				if function, ok := node.Fun.(*ast.Ident); ok && function.Name == "refuse" {
					walkCall(t, files, node, found)
				}
			case *ast.AssignStmt:
				walkAssignment(t, files, node, found)
			}
			return true
		})
	}
	return found
}

func walkCall(t *testing.T, files *token.FileSet, node *ast.CallExpr, found map[refusal]bool) {
	t.Helper()
	status, code := source(t, files, node.Args[0]), source(t, files, node.Args[1])
	number, errStatus := strconv.Atoi(status)
	plain, errCode := strconv.Unquote(code)
	if errStatus == nil && errCode == nil {
		found[refusal{plain, number}] = true
		return
	}
	known, ok := computed()[status+", "+code]
	if !ok {
		t.Errorf("%s: refuse(%s, %s): this test does not know what codes that can be", files.Position(node.Pos()), status, code)
	}
	for _, each := range known {
		found[each] = true
	}
}

func walkAssignment(t *testing.T, files *token.FileSet, node *ast.AssignStmt, found map[refusal]bool) {
	t.Helper()
	for n, left := range node.Lhs {
		selector, ok := left.(*ast.SelectorExpr)
		if !ok || selector.Sel.Name != "Code" || n >= len(node.Rhs) {
			continue
		}
		text := source(t, files, node.Rhs[n])
		if known, ok := assigned()[text]; ok {
			found[known] = true
		} else if strings.HasPrefix(text, `"`) {
			t.Errorf("%s: %s: this test does not know the status of that code", files.Position(node.Pos()), text)
		}
	}
}

func source(t *testing.T, files *token.FileSet, node ast.Node) string {
	t.Helper()
	var text bytes.Buffer
	if err := printer.Fprint(&text, files, node); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Every code in the source has a documented status and a source, and the table holds no code that the source does not.
func TestEveryErrorCodeIsDocumentedWithItsStatus(t *testing.T) {
	t.Parallel()
	table, err := documented()
	if err != nil {
		t.Fatal(err)
	}
	found := walked(t)
	if len(found) < 150 {
		t.Errorf("only %d refusals were found: this test looks in the wrong place", len(found))
	}
	for each := range found {
		if table[each] == "" {
			t.Errorf("%s (%d) is in no row of testdata/error-codes.tsv", each.code, each.status)
		}
	}
	for each := range table {
		if !found[each] {
			t.Errorf("%s (%d) of testdata/error-codes.tsv is nowhere in the source", each.code, each.status)
		}
	}
}

// seenRefusals are those that came over the wire in any test of this run.
type seenRefusals struct {
	mu   sync.Mutex
	seen map[refusal]bool
}

var observed = seenRefusals{seen: map[refusal]bool{}}

// note takes down the refusal that an answer is, if it is one.
func (s *seenRefusals) note(status int, body []byte) {
	if status < 400 {
		for _, alone := range []refusal{{"InvalidOperation.RamRoleAlreadyAttached", 403}, {"DependencyViolation.WindowsInstance", 403}} {
			if bytes.Contains(body, []byte(`"Code":"`+alone.code+`"`)) {
				s.set(alone) // it is only ever told of one instance, within the answer
			}
		}
		return
	}
	var failed struct{ Code string }
	if json.Unmarshal(body, &failed) != nil && xml.Unmarshal(body, &failed) != nil {
		return
	}
	s.set(refusal{failed.Code, status})
}

func (s *seenRefusals) set(met refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[met] = true
}

// missing lists the documented refusals that no test has met, sorted.
func (s *seenRefusals) missing() ([]string, error) {
	table, err := documented()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var missing []string
	for each := range maps.Keys(table) {
		if !s.seen[each] {
			missing = append(missing, fmt.Sprintf("%s (%d)", each.code, each.status))
		}
	}
	slices.Sort(missing)
	return missing, nil
}

// TestMain lets a full run of the tests fail that has not met every error code with its documented status at least once.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if code == 0 && fullRun() {
		missing, err := observed.missing()
		if err != nil || len(missing) > 0 {
			fmt.Fprintf(os.Stderr, "FAIL: no test meets these error codes with their documented status: %s %v\n", strings.Join(missing, ", "), err)
			code = 1
		}
	}
	os.Exit(code)
}

// fullRun reports whether nothing was left out of this run.
func fullRun() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz", "test.bench"} {
		if set := flag.Lookup(name); set != nil && set.Value.String() != "" {
			return false
		}
	}
	return true
}
