package alicloud

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// keyLength is how many characters tell operations apart.
	keyLength = 8
	// doneLength is how many characters of its key are kept of an operation that has
	// ended.
	doneLength = 5
	// mostDone is how many ended operations are remembered beside one under way.
	mostDone = 12
	// mostDoneAlone is how many are remembered while none is under way.
	mostDoneAlone = 20
	intentFields  = 8
	doneWord      = "done"
	// doneReinstall stands in place of the last character of a key that is kept of an
	// operation which has given the machine another disk for its allocation: what the
	// machine runs from is not what a state says that does not know of it.
	doneReinstall = "+"
	// leftStopped stands in the same place of an entry which is no key: it tells of a
	// machine that was left powered off by an operation that was given up, by when the
	// machine was last started before.
	leftStopped = "~"
	// resizedTo stands there of a machine that was made one of another type for its
	// allocation, by that type: whose record is not known to be stored, either.
	resizedTo = "^"
)

// intent is what the operation tag says of the operation that is under way. It is
// written before the operation has any effect, so that a run that finds it after a
// kill knows that the effect may be there.
type intent struct {
	// kind is the operation's word; see intentWord.
	kind string
	// name is for people, and may be cut short.
	name string
	// key tells operations apart: a digest of the OperationUID.
	key string
	// uid is random, and tells one carrying out of an operation from the next.
	uid string
	// holder is the process that goes on with it.
	holder string
	since  time.Time
	// before is what the machine was like before the effect; its form is the kind's.
	before string
}

// text is what a user calls the operation.
func (i intent) text() string {
	return fmt.Sprintf("%s %q of %s", kindOfWord(i.kind), i.name, i.since.Format(time.RFC3339))
}

// operationTag is the value of the operation tag.
type operationTag struct {
	current *intent
	// done are the beginnings of the keys of operations that ended well and whose
	// record is not known to be stored, the oldest first.
	done string
}

// operationKey is the key of an operation.
func operationKey(operationUID string) string {
	sum := sha256.Sum256([]byte("operation\x00" + operationUID))

	return base64.RawURLEncoding.EncodeToString(sum[:])[:keyLength]
}

// intentWord is the word for a kind in the tag.
func intentWord(kind v1alpha3.OperationKind) string {
	return strings.ToLower(strings.TrimPrefix(string(kind), "Host"))
}

// kindOfWord is the kind that a word in the tag stands for.
func kindOfWord(word string) string {
	for _, kind := range v1alpha3.OperationKinds() {
		if intentWord(kind) == word {
			return string(kind)
		}
	}

	return word
}

// hasDone reports whether the operation has ended well.
func (t operationTag) hasDone(key string) bool {
	return t.withoutDone(key).done != t.done
}

// withDone remembers that the operation has ended well.
func (t operationTag) withDone(key string) operationTag {
	t.done = t.withoutDone(key).done + key[:doneLength]

	return t
}

// withReinstalled remembers that a reinstallation has ended well. What was reinstalled
// before is no more.
func (t operationTag) withReinstalled(key string) operationTag {
	return t.withoutDone(key).withMark(reinstalledKey(key))
}

func reinstalledKey(key string) string { return key[:doneLength-1] + doneReinstall }

// resizedMark remembers that the machine was made one of the type.
func resizedMark(instanceType string) string {
	return typeMark(instanceType)[:doneLength-1] + resizedTo
}

// leftStoppedMark remembers that the machine was left powered off since it was last started.
func leftStoppedMark(startedAt time.Time) string {
	return markOf("started", encodeTime(startedAt))[:doneLength-1] + leftStopped
}

// withMark adds a mark, of which there is one of each kind.
func (t operationTag) withMark(mark string) operationTag {
	t.done = t.withoutMarks(mark[doneLength-1:]).done + mark

	return t
}

// withoutMarks takes the marks of a kind away, which is told by how they end.
func (t operationTag) withoutMarks(kind string) operationTag {
	return t.without(func(done string) bool { return strings.HasSuffix(done, kind) })
}

func (t operationTag) hasMarks(kind string) bool { return t.withoutMarks(kind).done != t.done }

func (t operationTag) hasEntry(entry string) bool {
	return t.without(func(done string) bool { return done == entry }).done != t.done
}

func (t operationTag) withoutDone(key string) operationTag {
	return t.without(func(done string) bool { return done == key[:doneLength] || done == reinstalledKey(key) })
}

func (t operationTag) without(which func(done string) bool) operationTag {
	var kept strings.Builder

	for done := range slices.Chunk([]byte(t.done), doneLength) {
		if !which(string(done)) {
			kept.Write(done)
		}
	}

	t.done = kept.String()

	return t
}

// encode returns the tag's value; it is empty where there is nothing to say.
func (t operationTag) encode() string {
	if t.current == nil {
		if t.done == "" {
			return ""
		}

		return doneWord + "/" + newest(t.done, mostDoneAlone)
	}

	done := newest(t.done, mostDone)
	fields := []string{
		t.current.kind, t.current.name, t.current.key, t.current.uid, t.current.holder,
		strconv.FormatInt(t.current.since.Unix(), 36), t.current.before, done,
	}

	if room := longestTagText - len(strings.Join(fields, "/")); room < 0 {
		fields[1] = t.current.name[:max(0, len(t.current.name)+room)]
	}

	return strings.Join(fields, "/")
}

// newest are the last so many entries.
func newest(done string, count int) string {
	return done[max(0, len(done)-count*doneLength):]
}

// decodeOperationTag reads the tag's value. A value that it does not know is an
// error: whatever it says is under way may not be disturbed.
func decodeOperationTag(value string) (operationTag, error) {
	if value == "" {
		return operationTag{}, nil
	}

	fields := strings.Split(value, "/")
	done := fields[len(fields)-1]

	switch {
	case len(done)%doneLength != 0:
	case len(fields) == 2 && fields[0] == doneWord:
		return operationTag{done: done}, nil
	case len(fields) == intentFields && len(fields[2]) == keyLength:
		seconds, err := strconv.ParseInt(fields[5], 36, 64)
		if err != nil {
			break
		}

		return operationTag{done: done, current: &intent{
			kind: fields[0], name: fields[1], key: fields[2], uid: fields[3], holder: fields[4],
			since: time.Unix(seconds, 0).UTC(), before: fields[6],
		}}, nil
	}

	return operationTag{}, fmt.Errorf("its tag %s is %q, which this version of the provider does not read; it tells of an operation under way. If none is, take the tag off the machine", tagOperation, value)
}
