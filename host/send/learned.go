package send

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/provider"
)

// Staleness is how old a learned rate may be (RT-26.2).
const Staleness = 6 * time.Hour

// skew is how far in the future a recorded moment may lie.
const skew = 5 * time.Minute

// The fields on a stream's cursor that carry a learned rate.
const (
	fieldInterval = "pacing_interval_ms"
	fieldRecorded = "pacing_recorded_at_ms"
	fieldLimit    = "pacing_limit_per_min"
	fieldWindows  = "pacing_windows"
)

// Snapshot is the pace of a governor at one moment.
type Snapshot struct {
	IntervalMS        float64  `json:"interval_ms"`
	MinIntervalMS     float64  `json:"min_interval_ms"`     // the rate ceiling
	InitialIntervalMS float64  `json:"initial_interval_ms"` // of a cold start
	LastBackoff       *Backoff `json:"last_backoff"`        // null: there was none
	// LimitPerMinute is where the provider refused; 0: not known.
	LimitPerMinute float64 `json:"limit_per_minute,omitempty"`

	learned Learned
}

// Snapshot returns the provider's pace; nil when pacing is switched off, which
// is no rate of zero (RT-25.4).
func (g *Governor) Snapshot() *Snapshot {
	now := g.deps.Clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.general.paced {
		return nil
	}
	r := &g.general.rate
	s := &Snapshot{
		IntervalMS: thousandth(r.interval), MinIntervalMS: r.floor, InitialIntervalMS: r.initial,
		LimitPerMinute: thousandth(r.limit),
	}
	if r.last != nil {
		s.LastBackoff = &Backoff{AtIntervalMS: thousandth(r.last.AtIntervalMS), Reason: r.last.Reason}
	}
	s.learned = Learned{IntervalMS: min(s.IntervalMS, s.InitialIntervalMS), windows: g.general.quota.keep(now)}
	if r.known && !r.vague {
		s.learned.LimitPerMinute = s.LimitPerMinute
		s.learned.windows = append(s.learned.windows, r.minute(now))
	}
	return s
}

// thousandth cuts a number to what is worth showing and storing.
func thousandth(f float64) float64 { return math.Round(f*1000) / 1000 }

// Learned is what a run hands to the next.
type Learned struct {
	IntervalMS     float64 // above zero
	LimitPerMinute float64 // where the provider refused; 0: not known

	windows []LearnedWindow
	ended   time.Time // of the run, once it is restored
}

// Learned returns what is worth keeping; nil when pacing is switched off. A
// throttled run never makes the next start slower than a cold one, unless it
// learned where the limit is.
func (s *Snapshot) Learned() *Learned {
	if s == nil {
		return nil
	}
	return &s.learned
}

// Persist returns a stream's cursor with the learned rate on it. The stream
// must be one that the run declared (RT-26.3). cursor is a JSON object, null or
// empty; its other fields stay. A nil l only takes an old rate off.
func (l *Learned) Persist(declared []string, stream string, cursor abi.Raw, now time.Time) (abi.Raw, error) {
	if !slices.Contains(declared, stream) {
		return nil, abi.NewError(CodeStreamUndeclared, fmt.Sprintf("stream %q is not one of the run's", stream),
			"keep the learned rate on the cursor of a declared stream")
	}
	fields, err := cursorFields(cursor)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{fieldInterval, fieldRecorded, fieldLimit, fieldWindows} {
		delete(fields, name)
	}
	if l != nil {
		number := func(f float64) json.RawMessage { return fmt.Append(nil, thousandth(f)) }
		fields[fieldInterval] = number(l.IntervalMS)
		fields[fieldRecorded] = fmt.Append(nil, now.UnixMilli())
		if l.LimitPerMinute > 0 {
			fields[fieldLimit] = number(l.LimitPerMinute)
		}
		if len(l.windows) > 0 {
			if fields[fieldWindows], err = json.Marshal(l.windows); err != nil {
				return nil, err
			}
		}
	}
	b, err := json.Marshal(fields)
	return b, err
}

// Restore reads the learned rate from a stream's cursor; nil when there is
// none, when it is malformed, older than Staleness, or from the future
// (RT-26.2). The governor clamps it.
func Restore(cursor abi.Raw, now time.Time) *Learned {
	fields, err := cursorFields(cursor)
	if err != nil {
		return nil
	}
	read := func(name string) (f float64, ok bool) {
		return f, json.Unmarshal(fields[name], &f) == nil && f > 0 && f <= math.MaxInt64/2
	}
	interval, ok := read(fieldInterval)
	recorded, timed := read(fieldRecorded)
	if !ok || !timed {
		return nil
	}
	age := now.Sub(time.UnixMilli(int64(recorded)))
	if age > Staleness || age < -skew {
		return nil
	}
	l := &Learned{IntervalMS: interval, ended: time.UnixMilli(int64(recorded))}
	if limit, ok := read(fieldLimit); ok {
		l.LimitPerMinute = limit
	}
	if json.Unmarshal(fields[fieldWindows], &l.windows) != nil || len(l.windows) > provider.MostWindows+2 {
		l.windows = nil
	}
	l.windows = slices.DeleteFunc(l.windows, func(w LearnedWindow) bool { return !w.valid(now) })
	return l
}

func cursorFields(cursor abi.Raw) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if len(cursor) > 0 {
		if err := json.Unmarshal(cursor, &fields); err != nil {
			return nil, abi.NewError(CodeCursorInvalid, "the cursor is not a JSON object",
				"keep the learned rate on a cursor that is one").Wrap(err)
		}
	}
	if fields == nil {
		fields = make(map[string]json.RawMessage)
	}
	return fields, nil
}
