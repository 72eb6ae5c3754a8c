package read

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// besides declares a stream that is ordered by another field than the one that bounds it.
const besides = `{"streams":[{"name":"notes","cursor_field":"n","consent_time_field":"at","schema":{"required":["id"],"properties":{"id":{"type":"string"},
"at":{"type":"string","format":"date-time"},"n":{"type":"integer"},"title":{"type":"string"}}},"query":{"aggregations":{"sum":["n"],"min":["n"],"group_by":["title"],"group_by_time":["at"]}}}]}`

// within is a scope of the notes of some connections from began on.
func within(connections ...string) *Scope {
	return &Scope{Streams: []StreamScope{{Name: "notes", Connections: connections, Fields: []string{"id", "at", "n", "title"}, Time: &TimeBound{Field: "at", Since: &began}}}}
}

// among has a connection with notes of which a scope of within shows some, and hides so many before, between and behind them.
func (s *shelf) among(connection string, shown, hidden int) {
	s.Helper()
	records := []string{}
	note := func(key string, at time.Time, n int) {
		records = append(records, key, fmt.Sprintf(`{"id":%q,"at":%q,"n":%d,"title":"t%d"}`, key, at.Format(time.RFC3339), n, n%3))
		if len(records) >= 10_000 {
			s.put(connection, "notes", records...)
			records = records[:0]
		}
	}
	for i := range hidden {
		note(fmt.Sprint("hidden", i), began.AddDate(-1, 0, -i%300), i*(shown+1)*1000/hidden)
	}
	for i := range shown {
		note(fmt.Sprint("shown", i), began.Add(time.Duration(i*7919%shown)*time.Hour), (i+1)*1000+1)
	}
	s.put(connection, "notes", records...)
}

// A list of what a time shows of a stream in another order is in that order, on pages of any size, and follows as records change
// and go.
func TestATimeBesideTheOrder(t *testing.T) {
	t.Parallel()
	s := newShelfAt(t)
	scope := within(s.accept("c", besides))
	s.among("c", 10, 25)
	list := func(l List) (keys []string) {
		t.Helper()
		l.Stream = "notes"
		for {
			page, err := s.List(t.Context(), scope, l)
			s.ok(err)
			for i := range page.Records {
				keys = append(keys, page.Records[i].Key)
			}
			if l.Cursor = page.Next; page.Next == "" {
				return keys
			}
		}
	}
	want := []string{}
	for i := range 10 {
		want = append(want, fmt.Sprint("shown", i))
	}
	check := func() {
		t.Helper()
		for _, limit := range []int{1, 3, 10, 50} {
			s.same(list(List{Order: "asc", Limit: limit}), want)
			down := slices.Clone(want)
			slices.Reverse(down)
			s.same(list(List{Limit: limit}), down)
		}
	}
	check()
	s.put("c", "notes", "-shown3", "", "hidden7", `{"id":"hidden7","at":"2027-01-01T00:00:00Z","n":1500}`, "shown5", `{"id":"shown5","at":"2020-01-01T00:00:00Z","n":6001}`, "shown9", `{"id":"shown9","at":"2027-01-01T00:00:00Z"}`)
	want = []string{"shown0", "hidden7", "shown1", "shown2", "shown4", "shown6", "shown7", "shown8", "shown9"}
	s.same(list(List{Order: "asc", Limit: 2}), want)
	s.same(list(List{Limit: 2}), []string{"shown8", "shown7", "shown6", "shown4", "shown2", "shown1", "hidden7", "shown0", "shown9"})
	for metric, want := range map[string]string{MetricCount: "9", MetricSum: "36507", MetricMin: "1001"} {
		a := Aggregate{From: From{Stream: "notes"}, Metric: metric}
		if metric != MetricCount {
			a.Field = "n"
		}
		got, err := s.Aggregate(t.Context(), scope, a)
		if s.ok(err); string(got.Value) != want || got.Records != 9 {
			t.Errorf("%s: got %s of %d records, want %s of 9", metric, got.Value, got.Records, want)
		}
	}
	s.sound()
}

// Invariant 9: how long a list, a count or an aggregate under a time takes tells nothing of how many records that time hides,
// whatever the stream is ordered by. One sample is told from one of a stream with hidden records about as well as by a coin. Where a
// stream's records begin within a page of the store's tables makes some microseconds of difference as well, whatever it hides: so six
// streams hide nothing, and what tells a stream from one that has a place like its own has to be what it hides.
func TestATimeHidesHowMuchItHides(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes samples for some seconds")
	}
	s := newShelf(t)
	arms := []int{0, 0, 1000, 0, 0, 50_000, 0, 0}
	scopes := make([]*Scope, len(arms))
	for i, hidden := range arms { // in one store, whose tables are as deep for each
		name := fmt.Sprint("of", i, "hides", hidden)
		scopes[i] = within(s.accept(name, besides))
		s.among(name, 20, hidden)
	}
	_, err := s.Index.All(t.Context(), 0) // so that no read waits for it
	s.ok(err)
	from := From{Stream: "notes"}
	const mostSeries = 6
	for name, ask := range map[string]func(*Scope) error{
		"a page of one": func(scope *Scope) error {
			page, err := s.List(t.Context(), scope, List{From: from, Limit: 1})
			if err == nil && (len(page.Records) != 1 || page.Records[0].Key != "shown19") {
				t.Fatalf("got %+v, want the last one", page.Records)
			}
			return err
		},
		"a count": func(scope *Scope) error {
			page, err := s.List(t.Context(), scope, List{From: from, Limit: 1, Count: true})
			if err == nil && (page.Count == nil || *page.Count != 20) {
				t.Fatalf("got %v, want 20", page.Count)
			}
			return err
		},
		"an aggregate": func(scope *Scope) error {
			got, err := s.Aggregate(t.Context(), scope, Aggregate{From: from, Metric: MetricCount, GroupBy: "title"})
			if err == nil && (len(got.Groups) != 3 || got.Records != 20) {
				t.Fatalf("got %+v, want 20 records in three groups", got)
			}
			return err
		},
	} {
		var told []string // a busy machine tells some apart in one series, and what is hidden in each
		for series := 0; series < mostSeries && (series == 0 || len(told) > 0); series++ {
			took := samplesOf(s, len(arms), func(arm int) error { return ask(scopes[arm]) })
			told = told[:0]
			for arm, hidden := range arms {
				if hidden == 0 {
					continue
				}
				got, without := 1.0, []time.Duration{}
				for other := range arms {
					if arms[other] == 0 {
						got = min(got, auc(took[other], took[arm]))
						without = append(without, middle(took[other]))
					}
				}
				t.Logf("%s: an AUC of %.3f for %d hidden records, with %v in the middle, and %v without", name, got, hidden, middle(took[arm]), without)
				if got >= 0.55 {
					told = append(told, fmt.Sprintf("%.3f for %d hidden records", got, hidden))
				}
			}
		}
		if len(told) > 0 {
			t.Errorf("%s: got an AUC of 0.55 or more in %d series, at last %s, want below 0.55", name, mostSeries, strings.Join(told, ", and "))
		}
	}
}

// samplesOf returns how long each of some arms took, sample by sample, the arms in turn.
func samplesOf(s *shelf, arms int, ask func(arm int) error) [][]time.Duration {
	took := make([][]time.Duration, arms)
	const samples = 1000
	for n := range samples + 20 {
		for k := range arms {
			arm := (n + k) % arms
			start := time.Now() // elapsed time, not the wall clock
			err := ask(arm)
			if d := time.Since(start); n >= 20 { // the first ones warm the caches
				took[arm] = append(took[arm], d)
			}
			s.ok(err)
		}
	}
	return took
}

// auc is how well one sample of two kinds is told from one of the other: 0.5 by a coin, 1 always.
func auc(a, b []time.Duration) float64 {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	less := 0.0
	for _, x := range b {
		below, _ := slices.BinarySearch(a, x)
		above, _ := slices.BinarySearchFunc(a, x, func(y, x time.Duration) int { return cmp.Or(cmp.Compare(y, x), -1) })
		less += float64(below+above) / 2 // a draw is half a win
	}
	is := less / float64(len(a)*len(b))
	return 0.5 + math.Abs(is-0.5)
}

func middle(of []time.Duration) time.Duration { return slices.Sorted(slices.Values(of))[len(of)/2] }
