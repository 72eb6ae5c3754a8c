package sdktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
)

// Record is one RECORD.
type Record struct {
	Stream string
	// Key is the canonical key text: a string's value, or the compact array of
	// a composite key.
	Key       string
	Data      json.RawMessage // nil for a tombstone
	Fields    map[string]any  // Data decoded; numbers are json.Number
	Delete    bool
	MovedFrom string // the key that the record had until then, "" for none
	EmittedAt string

	parts []string // the enumerations that hold it, see enumerate.go
}

// Text returns a field that is a string, "" for anything else.
func (r Record) Text(field string) string {
	s, _ := r.Fields[field].(string)
	return s
}

// Call is one host call with a payload, or one "log" or "submit".
type Call struct {
	Name    string
	Payload string
}

// HTTPRequest is one request as the connector made it: without the secret.
type HTTPRequest struct {
	abi.HTTPRequest
	Body string
}

// Result is the outcome of a run.
type Result struct {
	// Exit is the result of pdpp_collect, 0 after DONE.
	Exit int32
	Done abi.Done
	// All lists every record and tombstone, in the order of emission.
	All          []Record
	States       []abi.State
	Gaps         []abi.DetailGap
	GapOutcomes  []abi.GapOutcome
	Coverage     []abi.DetailCoverage
	Enumerations []abi.Enumeration
	Skips        []abi.SkipResult
	Accounts     []abi.Account
	Progress     []abi.Progress
	Interactions []abi.Interaction
	Requests     []HTTPRequest
	Logs         []string
	// Calls lists every call in its order; an emit call contains the whole batch.
	Calls []Call
	// Problems lists the refusals of the real host, and other mistakes of a connector.
	Problems []string

	connector sdk.Connector
	options   Options
	gaps      []*storedGap
	lists     map[listed]*list
	whole     []whole // in the order in which they were closed
}

// Failure explains why the run did not succeed: DONE's error, or how the run ended
// without it, and the last line of the log. It is "" for a run that succeeded. Collect
// logs it with the test.
func (r *Result) Failure() string {
	var text string
	switch e := r.Done.Error; {
	case r.Done.Status == abi.DoneSucceeded && r.Exit == 0:
		return ""
	case r.Done.Status == "":
		text = fmt.Sprintf("the run ended without DONE, and pdpp_collect returned %d", r.Exit)
	case e != nil:
		text = fmt.Sprintf("the run %s: %s [%s]", r.Done.Status, e.Message, e.Code)
	default:
		text = fmt.Sprintf("the run %s, and pdpp_collect returned %d", r.Done.Status, r.Exit)
	}
	if n := len(r.Logs); n > 0 {
		text += "; its last log: " + r.Logs[n-1]
	}
	return text
}

// PendingGaps returns the gaps that are pending after the run, as the host serves them
// to the next one: those that it served and those that the run reported, without the
// recovered ones.
func (r *Result) PendingGaps() []string {
	var list []string
	for _, g := range r.gaps {
		if g.pending {
			list = append(list, g.served())
		}
	}
	return list
}

// Records returns the live records of a stream, in the order of emission, a
// record emitted again as often as it was.
func (r *Result) Records(stream string) []Record { return r.filter(stream, false) }

// Deletes returns the tombstones of a stream.
func (r *Result) Deletes(stream string) []Record { return r.filter(stream, true) }

func (r *Result) filter(stream string, deleted bool) []Record {
	var list []Record
	for _, rec := range r.All {
		if rec.Stream == stream && rec.Delete == deleted {
			list = append(list, rec)
		}
	}
	return list
}

// Record returns the last record of the stream with that canonical key text.
func (r *Result) Record(stream, key string) (rec Record, found bool) {
	for _, one := range r.All {
		if one.Stream == stream && one.Key == key {
			rec, found = one, !one.Delete
		}
	}
	return rec, found
}

// Keys returns the keys of Records.
func (r *Result) Keys(stream string) []string {
	var keys []string
	for _, rec := range r.Records(stream) {
		keys = append(keys, rec.Key)
	}
	return keys
}

// Committed returns the cursors after the run, JSON by stream: those given, and
// those that the host would commit. After a run that did not succeed these are
// the complete slices only.
func (r *Result) Committed() map[string]string {
	state := make(map[string]string)
	for stream, cursor := range r.options.State {
		state[stream] = cursor
	}
	for _, s := range r.States {
		if r.Done.Status != abi.DoneSucceeded && (s.Slice == nil || !s.Slice.Complete) {
			continue
		}
		if string(s.Cursor) == "null" {
			delete(state, s.Stream)
			continue
		}
		state[s.Stream] = string(s.Cursor)
	}
	return state
}

// Stored returns what the host has after the run: the records that it had before, with those
// of the run applied.
func (r *Result) Stored() Store {
	s := r.options.Stored.Clone()
	s.Apply(r)
	return s
}

// Changes lists what the run changes in the host's store: each record that differs from the
// stored one, once and as it was emitted last, and a tombstone for each stored record that
// is gone, whether the connector sent it or an enumeration has not met the record.
func (r *Result) Changes() []Record {
	before, after := r.options.Stored, r.Stored()
	var list []Record
	listed := make(map[[2]string]bool)
	for _, rec := range slices.Backward(r.All) {
		at := [2]string{rec.Stream, rec.Key}
		now, there := after[rec.Stream][rec.Key]
		was, stored := before[rec.Stream][rec.Key]
		if !there || listed[at] || stored && bytes.Equal(was.Data, now.Data) {
			continue
		}
		listed[at] = true
		list = append(list, now)
	}
	slices.Reverse(list)
	for _, stream := range slices.Sorted(maps.Keys(before)) {
		for _, key := range slices.Sorted(maps.Keys(before[stream])) {
			if _, there := after[stream][key]; !there {
				list = append(list, Record{Stream: stream, Key: key, Delete: true})
			}
		}
	}
	return list
}

// Gone returns the keys of the records of a stream that the host had before the run and has no more,
// in their order.
func (r *Result) Gone(stream string) []string {
	after := r.Stored()[stream]
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.options.Stored[stream])), func(key string) bool {
		_, there := after[key]
		return there
	})
}

// SecondRun runs the same connector again with the state that the run committed, the
// records that the host has after it, and the gaps that are pending after it. change, when not nil, may alter the options before.
func (r *Result) SecondRun(t testing.TB, change func(*Options)) *Result {
	t.Helper()
	o := r.options
	o.State, o.DetailGaps, o.GapPages = r.Committed(), r.PendingGaps(), nil
	o.StopAfter, o.Before, o.Stored = 0, nil, r.Stored()
	o = r.Followed(o)
	if change != nil {
		change(&o)
	}
	return Collect(t, r.connector, o)
}

// Followed returns the options of a run that goes on with the enumerations that this one left
// open, for a caller that keeps its own Store.
func (r *Result) Followed(o Options) Options {
	o.lists = r.lists
	return o
}
