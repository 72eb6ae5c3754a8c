package notify

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// owner follows decisions as a store would.
type owner struct {
	episodes []Episode
	settings Settings
	now      time.Time
}

// look is one look at a connection; it returns the identities that the owner is told of.
func (o *owner) look(settled bool, needs ...string) (told string) {
	c := Seen{ConnectionID: "c", Connection: "mine", Settled: settled}
	for _, n := range needs {
		c.Needs = append(c.Needs, Need{Identity: n, Title: n})
	}
	d := Decide(o.episodes, []Seen{c}, &o.settings, o.now)
	kept := map[string]Episode{}
	for _, e := range o.episodes {
		kept[e.Identity] = e
	}
	for _, e := range d.Kept {
		kept[e.Identity] = e
	}
	for _, e := range d.Over {
		delete(kept, e.Identity)
	}
	o.episodes = nil
	for _, e := range kept {
		o.episodes = append(o.episodes, e)
	}
	for _, t := range d.Texts {
		told += t.Identity + ";"
	}
	return told
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// OC-19: an owner is told once of an episode, again after a day while it lasts, and of its end
// where they want that; an episode that ended and begins again is another one. While a run
// goes on nothing is over.
func TestDecide(t *testing.T) {
	t.Parallel()
	o := owner{settings: Settings{Zone: time.UTC, TellsOver: true}, now: noon}
	for i, tc := range []struct {
		after   time.Duration
		settled bool
		needs   []string
		want    string
	}{
		{0, true, nil, ""},
		{0, true, []string{"reauth"}, "reauth;"},
		{time.Second, true, []string{"reauth"}, ""},
		{23 * time.Hour, true, []string{"reauth"}, ""},
		{time.Hour, true, []string{"reauth"}, "reauth;"},
		{time.Hour, true, []string{"reauth", "question q1"}, "question q1;"},
		{time.Hour, false, []string{"question q1"}, ""},
		{time.Minute, true, []string{"reauth"}, ""}, // the question is over: nobody is told
		{time.Minute, false, nil, ""},               // a run confirms it
		{time.Minute, true, nil, "reauth over;"},
		{time.Minute, true, nil, ""},
		{time.Minute, true, []string{"reauth"}, "reauth;"},
	} {
		o.now = o.now.Add(tc.after)
		if got := o.look(tc.settled, tc.needs...); got != tc.want {
			t.Errorf("look %d: told of %q, want %q", i, got, tc.want)
		}
	}
}

// OC-19.4: in quiet hours nobody is told; what lasts behind them is told then, and what is
// over by then never.
func TestQuietHours(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	o := owner{settings: Settings{QuietFrom: 22 * 60, QuietUntil: 7 * 60, Zone: berlin, TellsOver: true}, now: time.Date(2026, 1, 2, 21, 30, 0, 0, time.UTC)}
	if got := o.look(true, "reauth", "question q1"); got != "" {
		t.Errorf("at half past ten in Berlin: told of %q, want nothing", got)
	}
	o.now = o.now.Add(8 * time.Hour) // half past six
	if got := o.look(true, "reauth"); got != "" {
		t.Errorf("before seven: told of %q, want nothing", got)
	}
	o.now = o.now.Add(30 * time.Minute)
	if got := o.look(true, "reauth"); got != "reauth;" {
		t.Errorf("at seven: told of %q, want of what lasts", got)
	}
	for clock, want := range map[string]bool{"21:59": false, "22:00": true, "00:00": true, "06:59": true, "07:00": false} {
		at, err := time.ParseInLocation("15:04", clock, berlin)
		if got := o.settings.Quiet(at); err != nil || got != want {
			t.Errorf("%s: quiet %t, %v, want %t", clock, got, err, want)
		}
	}
	if day := (&Settings{QuietFrom: 60, QuietUntil: 120, Zone: time.UTC}); !day.Quiet(time.Unix(90*60, 0)) || day.Quiet(time.Unix(120*60, 0)) {
		t.Error("got other hours, want those from one until two")
	}
}

// OC-19, OC-19.6: whatever happens in whatever order, no owner is told twice of an episode in
// a day, also when the host is restarted between any two looks: nothing but what is stored
// goes into a decision.
func TestNobodyIsToldTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := owner{settings: Settings{Zone: time.UTC, TellsOver: rapid.Bool().Draw(t, "over"), QuietFrom: rapid.IntRange(0, 1439).Draw(t, "from"), QuietUntil: 60}, now: noon}
		last := map[string]time.Time{}
		for range rapid.IntRange(1, 60).Draw(t, "looks") {
			o.now = o.now.Add(time.Duration(rapid.IntRange(1, 30*3600).Draw(t, "seconds")) * time.Second)
			var needs []string
			for _, n := range []string{"a", "b", "question q"} {
				if rapid.Bool().Draw(t, n) {
					needs = append(needs, n)
				}
			}
			settled := rapid.Bool().Draw(t, "settled")
			told := o.look(settled, needs...)
			if told != "" && o.settings.Quiet(o.now) {
				t.Fatalf("told of %s in quiet hours", told)
			}
			for _, e := range o.episodes {
				if !strings.Contains(";"+told, ";"+e.Identity+";") {
					continue
				}
				key := e.Identity + e.BeganAt.String()
				if at, twice := last[key]; twice && o.now.Sub(at) < 24*time.Hour {
					t.Fatalf("told of %s %s after the last time, want a day", e.Identity, o.now.Sub(at))
				}
				last[key] = o.now
			}
		}
	})
}

// OC-19.2: a text has the connection's name as one bounded line, and the host's own words.
func TestTexts(t *testing.T) {
	t.Parallel()
	name := "mi\x1b[2J\u202ene\r\nBcc: eve@example.org" + strings.Repeat("x", 1000)
	over, _ := overText(name)
	for _, n := range []Need{ActionNeed(name, "reauth", "Sign in"), QuestionNeed(name, "q1", "otp"), QuestionNeed(name, "q1", "later"), {Title: over}} {
		if strings.ContainsAny(n.Title+n.Body, "\x1b\u202e\r\n") || len([]rune(n.Title)) > longestName+50 {
			t.Errorf("got %q and %q, want one bounded line each", n.Title, n.Body)
		}
	}
}
