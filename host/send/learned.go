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

// Staleness is the maximum age of a learned rate (RT-26.2).
const Staleness = 6 * time.Hour

// skew is how far in the future a recorded time may lie.
const skew = 5 * time.Minute

// The fields of a stream's cursor that carry a learned rate.
const (
	fieldInterval = "pacing_interval_ms"
	fieldRecorded = "pacing_recorded_at_ms"
	fieldLimit    = "pacing_limit_per_min"
	fieldWindows  = "pacing_windows"
)

// Snapshot is the pace of a governor at one moment.
type Snapshot struct {
	IntervalMS        float64      `json:"interval_ms"`
	MinIntervalMS     float64      `json:"min_interval_ms"`     // the rate ceiling
	InitialIntervalMS float64      `json:"initial_interval_ms"` // the interval of a cold start
	LastBackoff       *abi.Backoff `json:"last_backoff"`        // null: none
	// LimitPerMinute is the rate at which the provider refused; 0: unknown.
	LimitPerMinute float64 `json:"limit_per_minute,omitempty"`

	learned Learned
}

// Snapshot returns the provider's pace; nil if pacing is switched off, which differs
// from a rate of zero (RT-25.4).
func (g *Governor) Snapshot() *Snapshot {
	now := g.deps.Clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.snapshot(now)
}

func (g *Governor) snapshot(now time.Time) *Snapshot {
	if !g.general.paced {
		return nil
	}
	r := &g.general.rate
	s := &Snapshot{
		IntervalMS: thousandth(r.interval), MinIntervalMS: r.floor, InitialIntervalMS: r.initial,
		LimitPerMinute: thousandth(r.limit),
	}
	if r.last != nil {
		s.LastBackoff = &abi.Backoff{AtIntervalMS: thousandth(r.last.AtIntervalMS), Reason: r.last.Reason}
	}
	s.learned = Learned{IntervalMS: min(s.IntervalMS, s.InitialIntervalMS), windows: g.general.quota.snapshot(now)}
	if r.known && !r.vague {
		s.learned.LimitPerMinute = s.LimitPerMinute
		s.learned.windows = append(s.learned.windows, r.windowOfLimit(now))
	}
	return s
}

// thousandth rounds a number to a useful precision.
func thousandth(f float64) float64 { return math.Round(f*1000) / 1000 }

// Learned is the result that a run passes to the next one.
type Learned struct {
	IntervalMS     float64 // above zero
	LimitPerMinute float64 // the rate at which the provider refused; 0: unknown

	windows []LearnedWindow
	ended   time.Time // the end of the run from which it was restored
}

// Learned returns the part of the pace to store; nil if pacing is switched off. A
// throttled run never makes the next start slower than a cold one, unless it learned
// the limit.
func (s *Snapshot) Learned() *Learned {
	if s == nil {
		return nil
	}
	return &s.learned
}

// Persist returns a stream's cursor with the learned rate added. The run must have
// declared the stream (RT-26.3). cursor is a JSON object, null or empty; its other
// fields stay. A nil l only removes an old rate.
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

// Restore reads the learned rate from a stream's cursor. It returns nil if there is
// none, or one that is malformed, older than Staleness or from the future (RT-26.2).
// The governor clamps it.
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
