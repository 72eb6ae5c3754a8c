package sdk

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Lane accounts for a detail lane: a list is read, then the detail of each listed
// record. Require every key that the connector looks at, and give each of them one
// outcome: hydrated, gap, or a skip by policy. Close reports them to the host
// (DETAIL_COVERAGE, RT-12). A required key without an outcome stays in the report, and
// the host then withholds the checkpoint of the state stream.
//
// Keys outside the scope's resources are ignored, like their records.
type Lane struct {
	h           *Host
	s           *stream
	stateStream string
	keys        [][]byte       // as JSON, in the order of Require
	index       map[string]int // key -> place in keys
	outcomes    []laneOutcome  // by place
	unreported  []int          // places of the outcomes that no slice has reported
	closed      bool
	slicing     bool  // its Details hands over a cursor that covers no detail in flight
	err         error // why the lane cannot work at all
}

type laneOutcome uint8

const (
	laneOpen laneOutcome = iota
	laneHydrated
	laneGap
	laneSkipped
)

// Lane opens the detail lane of stream; the cursor of its list belongs to stateStream.
// A second call for the same pair returns the same lane. A lane that is still open when
// Collect returns is closed then.
func (h *Host) Lane(stream, stateStream string) *Lane {
	for _, l := range h.lanes {
		if l.s != nil && l.s.name == stream && l.stateStream == stateStream {
			return l
		}
	}
	l := &Lane{h: h, s: h.stream(stream), stateStream: stateStream, index: make(map[string]int)}
	switch {
	case l.s == nil:
		l.err = undeclared(stream)
	case h.stream(stateStream) == nil:
		l.err = undeclared(stateStream)
	default:
		l.s.sealed = false // a stream with several parents has a lane for each
	}
	h.lanes = append(h.lanes, l)
	return l
}

// Require adds one key (its parts by primary_key) to the keys that this run
// looks at for detail. Adding a key again changes nothing.
func (l *Lane) Require(key ...string) error {
	k, use, err := l.key(key)
	if err != nil || !use {
		return err
	}
	if _, ok := l.index[string(k)]; ok {
		return nil
	}
	l.index[string(k)] = len(l.keys)
	l.keys = append(l.keys, append([]byte(nil), k...))
	l.outcomes = append(l.outcomes, laneOpen)
	return nil
}

// reopen takes back the outcome of a required key, whose detail is fetched again.
func (l *Lane) reopen(key ...string) error {
	k, use, err := l.key(key)
	if err != nil || !use {
		return err
	}
	i, ok := l.index[string(k)]
	if !ok {
		return l.misuse("an outcome for a key that was never required")
	}
	l.outcomes[i] = laneOpen
	l.unreported = slices.DeleteFunc(l.unreported, func(place int) bool { return place == i })
	return nil
}

// Hydrated records that the key's detail was fetched and its record emitted.
func (l *Lane) Hydrated(key ...string) error { return l.setOutcome(key, laneHydrated) }

// Skipped records that policy leaves the key's detail out. The host credits it only
// when the manifest opts in (selection.optional_skip_keys).
func (l *Lane) Skipped(key ...string) error { return l.setOutcome(key, laneSkipped) }

// Gap records that the key's detail could not be fetched, and emits the DETAIL_GAP that
// leads a later run to it.
func (l *Lane) Gap(g Gap) error {
	k, use, err := l.key(g.Key)
	if err != nil || !use {
		return err
	}
	if err := l.open(k); err != nil {
		return err
	}
	k = l.keys[l.index[string(k)]]
	if err := l.h.gap(l.s.name, l.stateStream, k, g); err != nil {
		return err
	}
	l.s.given.Withheld++
	return l.setOutcome(g.Key, laneGap)
}

// backed gives a key the outcome of a gap that an earlier run stored, without emitting
// the gap again.
func (l *Lane) backed(key ...string) error {
	if err := l.Require(key...); err != nil {
		return err
	}
	return l.setOutcome(key, laneGap)
}

// synthetic emits a gap that covers many records, under a key that no record has, and
// counts that key.
func (l *Lane) synthetic(key string, g Gap) error {
	k := jsonappend.String(nil, key)
	if _, known := l.index[string(k)]; known {
		return l.misuse("a second outcome for a key")
	}
	if err := l.h.gap(l.s.name, l.stateStream, k, g); err != nil {
		return err
	}
	l.unreported = append(l.unreported, len(l.keys))
	l.index[string(k)] = len(l.keys)
	l.keys = append(l.keys, k)
	l.outcomes = append(l.outcomes, laneGap)
	return nil
}

func (l *Lane) setOutcome(key []string, outcome laneOutcome) error {
	k, use, err := l.key(key)
	if err != nil || !use {
		return err
	}
	if err := l.open(k); err != nil {
		return err
	}
	i := l.index[string(k)]
	l.outcomes[i], l.unreported = outcome, append(l.unreported, i)
	return nil
}

// key spells a key, and reports whether the lane counts it.
func (l *Lane) key(key []string) (k []byte, use bool, err error) {
	if l.err != nil {
		return nil, false, l.err
	}
	if l.closed {
		return nil, false, l.misuse("the lane is closed")
	}
	l.h.key, err = l.s.textKey(l.h.key[:0], key)
	if err != nil {
		return nil, false, err
	}
	return l.h.key, l.s.wanted && l.s.allows(l.h.key), nil
}

// open returns nil when the key is required and has no outcome yet.
func (l *Lane) open(k []byte) error {
	i, ok := l.index[string(k)]
	if !ok {
		return l.misuse("an outcome for a key that was never required")
	}
	if l.outcomes[i] != laneOpen {
		return l.misuse("a second outcome for a key")
	}
	return nil
}

func (l *Lane) misuse(what string) error {
	return abi.NewError(abi.CodeCoverageInvalid, what,
		"require each key once, give it one outcome, then close the lane").WithDetail(l.s.name)
}

// Close sends the lane's one DETAIL_COVERAGE, after the records and gaps before
// it. Records of the stream are an error from then on. Closing twice is, too.
func (l *Lane) Close() error {
	if l.err == nil && l.closed {
		return l.misuse("the lane is closed")
	}
	return l.close()
}

// close is Close that does nothing on a closed lane.
func (l *Lane) close() error {
	if l.err != nil || l.closed {
		return l.err
	}
	l.closed = true
	if !l.s.wanted || !l.h.Wants(l.stateStream) {
		return nil
	}
	l.s.sealed = l.h.lastLane(l)
	if err := l.h.Flush(); err != nil {
		return err
	}
	b := beginMessage(l.h.message, abi.TypeDetailCoverage)
	b = textMember(b, "stream", l.s.name)
	b = textMember(b, "state_stream", l.stateStream)
	all := make([]int, len(l.keys))
	for i := range all {
		all[i] = i
	}
	b = l.sets(b, all)
	b = jsonappend.Bool(jsonappend.Name(b, "reference_only"), true)
	if len(b) >= abi.MaxCoverageBytes {
		return abi.NewError(abi.CodeCallTooLarge, "a lane has more keys than one DETAIL_COVERAGE holds",
			"look at fewer records in one run").WithDetail(l.s.name)
	}
	return l.h.sendMessage(link.Coverage, b)
}

// lastLane reports whether every lane of l's stream is closed: a stream with several
// parents has one lane for each.
func (h *Host) lastLane(l *Lane) bool {
	for _, other := range h.lanes {
		if other.s == l.s && !other.closed {
			return false
		}
	}
	return true
}

// sets appends the keys at the places: first all of them, then by outcome.
func (l *Lane) sets(b []byte, places []int) []byte {
	b = l.list(jsonappend.Name(b, "required_keys"), places, laneOpen)
	b = l.list(jsonappend.Name(b, "hydrated_keys"), places, laneHydrated)
	if l.has(places, laneGap) {
		b = l.list(jsonappend.Name(b, "gap_keys"), places, laneGap)
	}
	if l.has(places, laneSkipped) {
		b = l.list(jsonappend.Name(b, "optional_skip_keys"), places, laneSkipped)
	}
	return b
}

// hydrated returns the places of the keys that are hydrated.
func (l *Lane) hydrated() map[int]bool {
	places := make(map[int]bool)
	for i, o := range l.outcomes {
		if o == laneHydrated {
			places[i] = true
		}
	}
	return places
}

func (l *Lane) anyOpen() bool {
	for _, o := range l.outcomes {
		if o == laneOpen {
			return true
		}
	}
	return false
}

func (l *Lane) has(places []int, outcome laneOutcome) bool {
	for _, i := range places {
		if l.outcomes[i] == outcome {
			return true
		}
	}
	return false
}

// list appends the keys with the outcome; all keys for laneOpen.
func (l *Lane) list(b []byte, places []int, outcome laneOutcome) []byte {
	b = append(b, '[')
	for _, i := range places {
		if outcome == laneOpen || l.outcomes[i] == outcome {
			b = append(jsonappend.Elem(b), l.keys[i]...)
		}
	}
	return append(b, ']')
}
