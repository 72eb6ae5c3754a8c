package send

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RT-26.1: the next run begins where the last one was, and as fast as the
// ceiling allows at most.
func TestWarmStart(t *testing.T) {
	t.Parallel()
	first := newBed(t, named(), nil)
	first.ok(10)
	learned := first.interval()
	cursor, err := first.g.Snapshot().Learned().Persist([]string{"issues"}, "issues", abi.Raw(`{"since":"2026"}`), first.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	now := first.clock.Now()
	second := newBed(t, named(), func(d *Deps) { d.Learned = Restore(cursor, now.Add(Staleness-time.Second)) })
	if got := second.interval(); got != learned || got >= 1000 {
		t.Errorf("%v, want %v", got, learned)
	}
	second.ok(1)
	if second.sent[0] != learned {
		t.Errorf("the first request went at %v, want %v", second.sent[0], learned)
	}
	fast := newBed(t, named(), func(d *Deps) { d.Learned = &Learned{IntervalMS: 1, LimitPerMinute: 1e9} })
	if fast.interval() != 250 || fast.g.general.rate.limit != 0 {
		t.Errorf("faster than the ceiling: %v, want fast.interval() == 250 && fast.g.general.rate.limit == 0", fast.interval())
	}
}

// RT-26.2: what is stale, missing or malformed is a cold start.
func TestColdStart(t *testing.T) {
	t.Parallel()
	now := epoch.UnixMilli()
	at := func(interval string, recorded int64) abi.Raw {
		return abi.Raw(`{"pacing_interval_ms":` + interval + `,"pacing_recorded_at_ms":` + strconv.FormatInt(recorded, 10) + `}`)
	}
	if Restore(at("500", now-Staleness.Milliseconds()), epoch) == nil {
		t.Error("exactly at the limit is fresh")
	}
	for name, cursor := range map[string]abi.Raw{
		"stale": at("500", now-Staleness.Milliseconds()-1), "future": at("500", now+time.Hour.Milliseconds()),
		"zero": at("0", now), "negative": at("-5", now), "text": at(`"500"`, now), "null": at("null", now), "huge": at("1e999", now),
		"absent": abi.Raw(`{"since":"x"}`), "no time": abi.Raw(`{"pacing_interval_ms":500}`),
		"empty": nil, "nothing": abi.Raw("null"), "a list": abi.Raw("[]"), "no JSON": abi.Raw("{"),
	} {
		if l := Restore(cursor, epoch); l != nil {
			t.Errorf("%s: Restore(cursor, epoch): got %+v, want l == nil", name, l)
		}
	}
	if b := newBed(t, named(), nil); b.interval() != 1000 {
		t.Errorf("newBed(t, named(), nil): got %+v, want b.interval() == 1000", b.interval())
	}
}

// RT-26.3: the rate rides the cursor of a declared stream, beside what is there.
func TestPersist(t *testing.T) {
	t.Parallel()
	l := &Learned{IntervalMS: 412.5, LimitPerMinute: 150}
	declared := []string{"issues"}
	if _, err := l.Persist(declared, "pacing", nil, epoch); abi.CodeOf(err) != CodeStreamUndeclared {
		t.Errorf("an undeclared stream: %v, want %v", err, CodeStreamUndeclared)
	}
	if _, err := l.Persist(declared, "issues", abi.Raw(`[1]`), epoch); abi.CodeOf(err) != CodeCursorInvalid {
		t.Errorf("a cursor that is no object: %v, want %v", err, CodeCursorInvalid)
	}
	cursor, err := l.Persist(declared, "issues", abi.Raw(`{"since":{"a":[1, 2]},"pacing_limit_per_min":3}`), epoch)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(cursor, &fields); err != nil {
		t.Fatal(err)
	}
	if string(fields["since"]) != `{"a":[1,2]}` || len(fields) != 4 {
		t.Errorf("got %s, want string(fields[\"since\"]) == `{\"a\":[1,2]}` && len(fields) == 4", cursor)
	}
	if got := Restore(cursor, epoch); got == nil || got.IntervalMS != l.IntervalMS || got.LimitPerMinute != l.LimitPerMinute {
		t.Errorf("Restore(cursor, epoch): got %+v, want got != nil && got.IntervalMS == l.IntervalMS && got.LimitPerMinute == l.LimitPerMinute", got)
	}
	off, err := (*Snapshot)(nil).Learned().Persist(declared, "issues", cursor, epoch)
	if err != nil || Restore(off, epoch) != nil {
		t.Errorf("an old rate stays when pacing is off: %s, want no error && Restore(off, epoch) == nil", off)
	}
}

// A throttled run never makes the next one slower than a cold start.
func TestThrottledRunDoesNotPoison(t *testing.T) {
	t.Parallel()
	p := named()
	p.MaxAttempts = 1
	b := newBed(t, p, nil)
	b.script(throttled)
	b.stopped()
	b.stopped()
	if l := b.g.Snapshot().Learned(); l.IntervalMS != 1000 {
		t.Errorf("l.IntervalMS: got %+v, want 1000", l)
	}
}

// RT-27.1: the rate in words of rates, and nothing else.
func TestCollectionRate(t *testing.T) {
	t.Parallel()
	b := newBed(t, named(), nil)
	line, err := json.Marshal(b.g.CollectionRate())
	want := `{"object":"collection_rate","current_interval_ms":1000,"ceiling_interval_ms":250,"effective_rate_per_min":60,"ceiling_rate_per_min":240,"last_backoff":null}`
	if err != nil || string(line) != want {
		t.Errorf("got %s %v, want no error && string(line) == want", line, err)
	}
	b.script(says{status: 429, headers: "Retry-After: 1"}, says{})
	b.ok(1)
	var fields map[string]any
	if line, err = json.Marshal(b.g.CollectionRate()); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &fields); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(fields))
	if !slices.Equal(names, []string{"ceiling_interval_ms", "ceiling_rate_per_min", "current_interval_ms", "effective_rate_per_min", "last_backoff", "object"}) {
		t.Errorf(`got %+v, want slices.Equal(names, []string{"ceiling_interval_ms", "ceiling_rate_per_min", "current_interval_ms", "effective_rate_per_min", "last_backoff", "object"})`, names)
	}
	if back, ok := fields["last_backoff"].(map[string]any); !ok || back["reason"] != "retry_after" || len(back) != 2 {
		t.Errorf(`got %s, want ok && back["reason"] == "retry_after" && len(back) == 2`, line)
	}
}

// RT-27.2: no controller is an absence and no zero.
func TestNoCollectionRate(t *testing.T) {
	t.Parallel()
	if r := newBed(t, calm(1), nil).g.CollectionRate(); r != nil {
		t.Errorf("newBed(t, calm(1), nil).g.CollectionRate(): got %+v, want r == nil", r)
	}
}
