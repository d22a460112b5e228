package ecsemulator

import (
	"maps"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

func TestTheRequestLogGivesParametersBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for name, parameters := range map[string]map[string]string{
		"one":          {"InstanceId": "i-1"},
		"several":      {"Tag.1.Key": "a=b&c", "Tag.1.Value": "", "InstanceName": "机器\n\t\"x\""},
		"no parameter": {},
	} {
		l := &callLog{}
		l.describe(l.arrive(Call{Action: "A"}), parameters)
		if got := l.calls[0].call().Parameters; !maps.Equal(got, parameters) {
			t.Errorf("%s: %q, want %q", name, got, parameters)
		}
	}
}

func TestSeparatorsOfTheRequestLogCannotForgeParameters(t *testing.T) {
	t.Parallel()
	l := &callLog{}
	given := url.Values{"InstanceName": {"x\x00Password\x01y"}}
	l.describe(l.arrive(Call{}), maskedParameters(parameterTable{"InstanceName": {kindString, 99}}, given))
	if got := l.calls[0].call().Parameters; len(got) != 1 || got["InstanceName"] != "xPasswordy" {
		t.Errorf("%q", got)
	}
}

// The names that calls share are bounded too: a client may make up as many as it likes.
func TestTheRequestLogForgetsTheOldestAndCountsAll(t *testing.T) {
	t.Parallel()
	l := &callLog{}
	for n := range maxCalls + 1 {
		call := Call{Action: "A" + strconv.Itoa(n%(2*maxWords)), AccessKeyID: strings.Repeat("k", 3)}
		call.ID = l.arrive(call)
		if n == 0 {
			continue // its answer comes after it was forgotten
		}
		call.Status = 200
		l.finish(call)
	}
	l.finish(Call{ID: 0, Action: "A0", AccessKeyID: "kkk", Status: 200})
	answered := 0
	for _, calls := range l.answers {
		answered += calls
	}
	if len(l.calls) != maxCalls-maxCalls/10+1 || l.calls[0].ID != maxCalls/10 || answered != maxCalls+1 || len(l.words) > maxWords {
		t.Errorf("%d calls from %d on, %d answers, %d words", len(l.calls), l.calls[0].ID, answered, len(l.words))
	}
}
