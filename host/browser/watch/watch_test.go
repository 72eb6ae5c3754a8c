package watch

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

// armed is a watchdog whose establishment began at 0.
func armed() Watch {
	w, _ := Watch{}.Next(Event{Kind: Begin}, start)
	return w
}

func after(w Watch, seconds float64, kinds ...Kind) Watch {
	for _, k := range kinds {
		w, _ = w.Next(Event{Kind: k, Label: "x"}, at(seconds))
	}
	return w
}

// Each row of the watchdog's table (RT-15.1, RT-15.3, RT-15.5, BR-12).
func TestTable(t *testing.T) {
	t.Parallel()
	paused := after(armed(), 10, InteractionOpened)
	tripped := after(armed(), 121, Tick)
	for name, c := range map[string]struct {
		from    Watch
		event   Event
		at      float64
		state   State
		last    time.Time
		label   string
		effects []Effect
		due     time.Time
	}{
		"1 it begins":                         {Watch{}, Event{Kind: Begin}, 0, Armed, at(0), LabelBegin, nil, at(120).Add(1)},
		"2 a checkpoint":                      {armed(), Event{Checkpoint, "password"}, 100, Armed, at(100), "password", nil, at(220).Add(1)},
		"3 the owner is asked":                {armed(), Event{Kind: InteractionOpened}, 10, Paused, at(0), LabelBegin, nil, time.Time{}},
		"4 asked again":                       {paused, Event{Kind: InteractionOpened}, 1000, Paused, at(0), LabelBegin, nil, time.Time{}},
		"4 one of two answers":                {after(paused, 20, InteractionOpened), Event{Kind: InteractionClosed}, 1000, Paused, at(0), LabelBegin, nil, time.Time{}},
		"5 the last answer":                   {paused, Event{Kind: InteractionClosed}, 1000, Armed, at(1000), LabelBegin, nil, at(1120).Add(1)},
		"6 not yet":                           {armed(), Event{Kind: Tick}, 120, Armed, at(0), LabelBegin, nil, at(120).Add(1)},
		"6 no progress":                       {armed(), Event{Kind: Tick}, 120.001, Tripped, at(120.001), LabelBegin, []Effect{CloseGate, EndHandoffs}, at(122.001)},
		"6 progress too late":                 {armed(), Event{Checkpoint, "late"}, 121, Tripped, at(121), LabelBegin, []Effect{CloseGate, EndHandoffs}, at(123)},
		"6 no progress while paused":          {paused, Event{Kind: Tick}, 9999, Paused, at(0), LabelBegin, nil, time.Time{}},
		"7 established":                       {armed(), Event{Kind: End}, 50, Off, at(0), LabelBegin, nil, time.Time{}},
		"7 cancelled while paused":            {paused, Event{Kind: End}, 9999, Off, at(0), LabelBegin, nil, time.Time{}},
		"8 captured, and the trace's time":    {after(tripped, 122, CaptureDone), Event{Kind: Tick}, 123, Releasing, at(121), LabelBegin, []Effect{EndBrowser}, time.Time{}},
		"8 captured, and traced":              {after(tripped, 122, CaptureDone), Event{Kind: TraceDone}, 122, Releasing, at(121), LabelBegin, []Effect{EndBrowser}, time.Time{}},
		"8 traced, and the capture's time":    {after(tripped, 122, TraceDone), Event{Kind: Tick}, 131, Releasing, at(121), LabelBegin, []Effect{EndBrowser}, time.Time{}},
		"8 traced alone":                      {tripped, Event{Kind: TraceDone}, 122, Tripped, at(121), LabelBegin, nil, at(131)},
		"8 nothing of a tripped one comes on": {tripped, Event{Checkpoint, "x"}, 122, Tripped, at(121), LabelBegin, nil, at(123)},
		"9 the browser is gone":               {after(tripped, 131, Tick), Event{Kind: BrowserGone}, 133, Done, at(121), LabelBegin, []Effect{ReportFailed}, time.Time{}},
		"9 once":                              {after(tripped, 131, Tick, BrowserGone), Event{Kind: BrowserGone}, 134, Done, at(121), LabelBegin, nil, time.Time{}},
		"nothing before it begins":            {Watch{}, Event{Checkpoint, "x"}, 5, Off, time.Time{}, "", nil, time.Time{}},
	} {
		got, effects := c.from.Next(c.event, at(c.at))
		if got.State != c.state || !got.Last.Equal(c.last) || got.Label != c.label || !slices.Equal(effects, c.effects) || !got.Due().Equal(c.due) {
			t.Errorf("%s: got %d, %s, %q, %v, due %s; want %d, %s, %q, %v, due %s", name,
				got.State, got.Last, got.Label, effects, got.Due(), c.state, c.last, c.label, c.effects, c.due)
		}
	}
}

// The worked sequence at 120 s: checkpoints at 0, 100, 200 and 300 live, and then it trips
// after 420; with a question from 310 to 1,310 it trips after 1,430 (RT-15.2, RT-15.3).
func TestSequence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked bool
		lives float64
	}{"alone": {false, 420}, "with a question": {true, 1430}} {
		w := armed()
		for s := 0.0; s <= 300; s += 100 {
			w = after(w, s, Checkpoint)
		}
		if c.asked {
			w = after(after(after(w, 310, InteractionOpened), 900, Tick), 1310, InteractionClosed)
		}
		if w = after(w, c.lives, Tick); w.State != Armed {
			t.Errorf("%s, at %v: got state %d, want armed", name, c.lives, w.State)
		}
		if w = after(w, c.lives+0.001, Tick); w.State != Tripped {
			t.Errorf("%s, after %v: got state %d, want tripped", name, c.lives, w.State)
		}
	}
}

// The watchdog asks for each effect once, in order, after any sequence of events. A tripped
// one whose browser goes ends within the time of what it takes down.
func TestEffectsComeOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, now := Watch{Limit: 10 * time.Second}, start
		var all []Effect
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			now = now.Add(time.Duration(rapid.IntRange(0, 8).Draw(t, "seconds")) * time.Second)
			was := w
			var effects []Effect
			w, effects = w.Next(Event{Kind: Kind(rapid.IntRange(int(Begin), int(BrowserGone)).Draw(t, "kind"))}, now)
			if was.State > w.State && (was.State > Paused || w.State == Off && was.State < Armed) {
				t.Fatalf("went from %d back to %d", was.State, w.State)
			}
			all = append(all, effects...)
		}
		want := []Effect{CloseGate, EndHandoffs, EndBrowser, ReportFailed}
		if len(all) > len(want) || !slices.Equal(all, want[:len(all)]) {
			t.Fatalf("got %v, want the beginning of %v", all, want)
		}
	})
}

func ExampleWatch() {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	w, _ := Watch{}.Next(Event{Kind: Begin}, now)
	w, _ = w.Next(Event{Kind: Checkpoint, Label: "code-entered"}, now.Add(time.Minute))
	fmt.Println(w.Due().Format(time.TimeOnly))
	w, effects := w.Next(Event{Kind: Tick}, w.Due())
	fmt.Println(w.State == Tripped, w.Label, effects)
	// Output:
	// 12:03:00
	// true code-entered [0 1]
}
