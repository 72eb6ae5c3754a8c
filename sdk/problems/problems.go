package problems

import (
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Kind is one kind of problem and its words.
type Kind struct {
	// Reason is the code, a key of the manifest's reason_display_messages.
	Reason string
	// Many says what happened, for the reader of a log; the number is put before it. One
	// is its form for a single case, Many when empty. Plain is the whole text of a kind
	// that has no number, instead of the two.
	Many, One, Plain string
	// Hint is one of abi.RecoveryActions.
	Hint string
	// Examples names the list of examples in the diagnostics.
	Examples string
	// First is how many examples are kept, as they come and whole, such as paths of the
	// owner's own files; 0: the first by their order, each once and cut short.
	First int
	// HostTells: the host finds these cases by itself, and its owner may settle them there. They are
	// counted, and not reported.
	HostTells bool
}

// mostExamples and mostText bound the examples of a kind without First, and the bytes of each.
const (
	mostExamples = 20
	mostText     = 40
)

// Tally counts the problems of a stream. Make it with New.
type Tally struct {
	h       *sdk.Host
	stream  string
	entries []entry
}

type entry struct {
	kind     *Kind
	count    int
	places   int      // where they are: cases that were added together are in one place
	examples []string // in order, each once
}

// New returns the tally of a stream that reports these kinds, in their order.
func New(h *sdk.Host, stream string, kinds ...*Kind) *Tally {
	t := &Tally{h: h, stream: stream}
	for _, kind := range kinds {
		t.entries = append(t.entries, entry{kind: kind})
	}
	return t
}

// Note counts one case, with an example of it or "".
func (t *Tally) Note(kind *Kind, example string) { t.Add(kind, 1, example) }

// Add counts n cases. With an n of 0 it adds an example to those that were counted.
func (t *Tally) Add(kind *Kind, n int, example string) {
	i := slices.IndexFunc(t.entries, func(e entry) bool { return e.kind == kind })
	if i < 0 {
		if n <= 0 {
			return
		}
		i = len(t.entries)
		t.entries = append(t.entries, entry{kind: kind})
	}
	e := &t.entries[i]
	e.count += n
	if example == "" {
		e.places += n
		return
	}
	if kind.First > 0 && slices.Contains(e.examples, example) {
		return // it is the same place
	}
	if n > 0 {
		e.places++
	}
	if kind.First > 0 {
		if len(e.examples) < kind.First {
			e.examples = append(e.examples, example)
		}
		return
	}
	example = clip.Text(example, mostText)
	if at, known := slices.BinarySearch(e.examples, example); !known {
		e.examples = slices.Insert(e.examples, at, example)
		e.examples = e.examples[:min(len(e.examples), mostExamples)]
	}
}

// Count returns how many cases of a kind were noted since the last Report.
func (t *Tally) Count(kind *Kind) int {
	for _, e := range t.entries {
		if e.kind == kind {
			return e.count
		}
	}
	return 0
}

// Report reports each kind that was noted, and begins again from nothing.
func (t *Tally) Report() error {
	for i := range t.entries {
		if err := t.report(i); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tally) report(i int) error {
	e := &t.entries[i]
	if e.count == 0 {
		return nil
	}
	skip := abi.SkipResult{
		Stream: t.stream, Reason: e.kind.Reason, Message: e.kind.text(e.count), RecoveryHint: jsonappend.String(nil, e.kind.Hint),
		Diagnostics: e.diagnostics(),
	}
	silent := e.kind.HostTells
	e.count, e.places, e.examples = 0, 0, nil
	if silent {
		return nil
	}
	return t.h.Skip(skip)
}

func (k *Kind) text(n int) string {
	if k.Plain != "" {
		return k.Plain
	}
	return Counted(int64(n), k.One, k.Many)
}

// Counted returns a number with its noun and verb: "1 line is", "2 lines are".
func Counted(n int64, one, many string) string {
	if n == 1 && one != "" {
		many = one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

func (e *entry) diagnostics() []byte {
	if e.kind.Plain != "" {
		return nil
	}
	d := jsonappend.Int([]byte(`{"count":`), int64(e.count))
	if e.kind.Examples != "" && len(e.examples) > 0 {
		d = jsonappend.Strings(jsonappend.Name(d, e.kind.Examples), e.examples)
		if e.kind.First > 0 && e.places != e.count { // else the count is theirs
			d = jsonappend.Int(jsonappend.Name(d, "places"), int64(e.places))
		}
	}
	return append(d, '}')
}
