package read

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
)

// summed declares what may be summed up.
const summed = `{"streams":[{"name":"notes","consent_time_field":"at","schema":{"required":["id"],"properties":{"id":{"type":"string"},
"at":{"type":"string","format":"date-time"},"day":{"type":"string","format":"date"},"n":{"type":"number"},"kind":{"type":"string"},"ok":{"type":"boolean"},"any":{}}},
"query":{"range_filters":{"n":["gte"]},"aggregations":{"sum":["n","kind"],"min":["n","kind"],"max":["n"],"count_distinct":["n","kind"],"group_by":["kind","ok","n","any"],"group_by_time":["at","day","kind"]}}}]}`

// told says what an aggregate comes to.
func (s *shelf) told(scope *Scope, a Aggregate) string {
	s.Helper()
	a.Stream = "notes"
	got, err := s.Aggregate(s.Context(), scope, a)
	if err != nil {
		return string(abi.CodeOf(err))
	}
	if got.Limit == 0 {
		return fmt.Sprintf("%s of %d", got.Value, got.Records)
	}
	var b strings.Builder
	for _, g := range got.Groups {
		if g.Key == nil {
			g.Key = []byte("null")
		}
		fmt.Fprintf(&b, "%s:%d ", g.Key, g.Count)
	}
	return fmt.Sprintf("%sother %d of %d", b.String(), got.Other, got.Records)
}

// RD-26.1, RD-26.2, RD-26.3, RD-26.5, RD-26.6, RD-26.7: metrics, groups and their order, under the
// scope of whoever asks, and exactly, a group of one record as well.
func TestAggregate(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	ids := []string{s.accept("c", summed), s.accept("d", summed)}
	s.put("c", "notes",
		"a", `{"id":"a","n":9007199254740993,"kind":"x","at":"2026-01-01T00:30:00+02:00","day":"2026-01-04","ok":true}`,
		"b", `{"id":"b","n":1,"kind":"y","at":"2026-01-01T00:00:00Z","day":"2026-01-05","ok":false}`,
		"c", `{"id":"c","n":1.0,"kind":"x","at":"2026-02-01T00:00:00Z"}`,
		"gone", `{"id":"gone","n":5,"kind":"z"}`, "-gone", "")
	s.put("d", "notes", "a", `{"id":"a","n":-2,"kind":"y"}`, "e", `{"id":"e","kind":7}`)
	since := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	all := []string{"id", "n", "kind", "at", "ok", "day"}
	scopes := map[string]*Scope{
		"owner":  OwnerScope(),
		"one":    {Streams: []StreamScope{{Name: "notes", Connections: ids[:1], Fields: all}}},
		"timed":  {Streams: []StreamScope{{Name: "notes", Connections: ids, Fields: all, Time: &TimeBound{Field: "at", Since: &since}}}},
		"keys":   {Streams: []StreamScope{{Name: "notes", Connections: ids, Fields: all, Keys: []string{"a", "nothing"}}}},
		"fields": {Streams: []StreamScope{{Name: "notes", Connections: ids, Fields: []string{"id"}}}},
		"none":   {Streams: []StreamScope{{Name: "other", Connections: ids, Fields: all}}},
		"empty":  {Streams: []StreamScope{{Name: "notes", Fields: all}}},
	}
	count := Aggregate{Metric: MetricCount}
	sum := Aggregate{Metric: MetricSum, Field: "n"}
	by := func(name string) Aggregate { return Aggregate{Metric: MetricCount, GroupBy: name} }
	at := func(name, granularity string) Aggregate {
		return Aggregate{Metric: MetricCount, GroupByTime: name, Granularity: granularity}
	}
	berlin := at("at", "day")
	berlin.TimeZone = "Europe/Berlin"
	cut := by("kind")
	cut.Limit = 1
	firstDays := at("at", "day")
	firstDays.Limit = 2
	for _, c := range []struct {
		scope string
		ask   Aggregate
		want  string
	}{
		{"owner", count, "5 of 5"},
		{"one", count, "3 of 3"},
		{"timed", count, "2 of 2"},
		{"keys", count, "2 of 2"},
		{"empty", count, "0 of 0"},
		{"one", sum, "9007199254740995 of 3"},
		{"keys", sum, "9007199254740991 of 2"},
		{"empty", sum, "0 of 0"},
		{"owner", Aggregate{Metric: MetricMin, Field: "n"}, "-2 of 5"},
		{"one", Aggregate{Metric: MetricMin, Field: "n"}, "1 of 3"},
		{"owner", Aggregate{Metric: MetricMax, Field: "n"}, "9007199254740993 of 5"},
		{"owner", Aggregate{Metric: MetricMin, Field: "kind"}, `"x" of 5`},
		{"empty", Aggregate{Metric: MetricMax, Field: "n"}, " of 0"},
		{"owner", Aggregate{Metric: MetricDistinct, Field: "n"}, "3 of 5"},
		{"owner", by("kind"), `"x":2 "y":2 null:1 other 0 of 5`},
		{"owner", cut, `"x":2 other 3 of 5`},
		{"one", by("n"), `1:2 9007199254740993:1 other 0 of 3`},
		{"owner", by("ok"), `false:1 true:1 null:3 other 0 of 5`},
		{"owner", at("at", "day"), `"2025-12-31":1 "2026-01-01":1 "2026-02-01":1 null:2 other 0 of 5`},
		{"owner", firstDays, `"2025-12-31":1 "2026-01-01":1 other 3 of 5`},
		{"owner", berlin, `"2025-12-31":1 "2026-01-01":1 "2026-02-01":1 null:2 other 0 of 5`},
		{"one", at("day", "week"), `"2025-12-29":1 "2026-01-05":1 null:1 other 0 of 3`},
		{"one", at("day", "quarter"), `"2026-01-01":2 null:1 other 0 of 3`},
		{"one", at("at", "year"), `"2025-01-01":1 "2026-01-01":2 other 0 of 3`},
		{"one", at("at", "hour"), `"2025-12-31T22:00":1 "2026-01-01T00:00":1 "2026-02-01T00:00":1 other 0 of 3`},
		{"owner", Aggregate{Metric: MetricCount, Filters: []Filter{{Field: "n", Op: AtLeast, Value: "1"}}}, "3 of 3"},
		{"one", Aggregate{Metric: MetricCount, Filters: []Filter{{Field: "n", Op: AtLeast, Value: "1"}}}, string(CodeRequest)},
		{"none", count, string(CodeNotGranted)},
		{"fields", count, "5 of 5"},
		{"fields", sum, string(CodeFieldHidden)},
		{"fields", by("kind"), string(CodeFieldHidden)},
		{"owner", by("nothing"), string(CodeField)},
		{"owner", by("id"), string(CodeRequest)},
		{"owner", by("any"), string(CodeRequest)},
		{"owner", Aggregate{Metric: MetricSum, Field: "kind"}, string(CodeRequest)},
		{"owner", at("kind", "day"), string(CodeRequest)},
		{"owner", at("at", "second"), string(CodeRequest)},
		{"owner", at("at", ""), string(CodeRequest)},
		{"owner", Aggregate{Metric: MetricCount, Granularity: "day"}, string(CodeRequest)},
		{"owner", Aggregate{Metric: MetricCount, TimeZone: "UTC"}, string(CodeRequest)},
		{"owner", Aggregate{Metric: MetricCount, GroupByTime: "at", Granularity: "day", TimeZone: "../etc/passwd"}, string(CodeRequest)},
		{"owner", Aggregate{Metric: MetricCount, GroupByTime: "at", Granularity: "day", TimeZone: "Local"}, string(CodeRequest)},
		{"owner", Aggregate{Metric: MetricCount, GroupByTime: "at", Granularity: "day", GroupBy: "kind"}, string(CodeRequest)},
		{"owner", Aggregate{Metric: MetricSum, Field: "n", GroupBy: "kind"}, string(CodeRequest)},
		{"owner", Aggregate{Metric: MetricCount, Field: "n"}, string(CodeRequest)},
		{"owner", Aggregate{Metric: "avg", Field: "n"}, string(CodeRequest)},
		{"owner", Aggregate{Metric: MetricCount, Limit: 5}, string(CodeRequest)},
		{"owner", Aggregate{Metric: MetricCount, GroupBy: "kind", Limit: 101}, string(CodeRequest)},
	} {
		if got := s.told(scopes[c.scope], c.ask); got != c.want {
			t.Errorf("%s, %+v: got %s, want %s", c.scope, c.ask, got, c.want)
		}
	}
}

// RD-26.4: a local hour that comes twice is two buckets with their offsets, and a day of 23 or
// 25 hours is one.
func TestBucketsOfChangedClocks(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.accept("c", summed)
	for i, at := range []string{"2026-10-25T00:15:00Z", "2026-10-25T00:45:00Z", "2026-10-25T01:15:00Z", "2026-10-25T02:15:00Z", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z", "2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"} {
		s.put("c", "notes", fmt.Sprint(i), fmt.Sprintf(`{"id":"%d","at":"%s"}`, i, at))
	}
	for granularity, want := range map[string]string{
		"day":    `"2026-03-29":2 "2026-10-25":6 other 0 of 8`,
		"hour":   `"2026-03-29T01:00":1 "2026-03-29T03:00":1 "2026-10-25T00:00":1 "2026-10-25T02:00+01:00":1 "2026-10-25T02:00+02:00":2 "2026-10-25T03:00":1 "2026-10-25T23:00":1 other 0 of 8`,
		"minute": `"2026-03-29T01:30":1 "2026-03-29T03:30":1 "2026-10-25T00:00":1 "2026-10-25T02:15+01:00":1 "2026-10-25T02:15+02:00":1 "2026-10-25T02:45+02:00":1 "2026-10-25T03:15":1 "2026-10-25T23:59":1 other 0 of 8`,
	} {
		if got := s.told(OwnerScope(), Aggregate{Metric: MetricCount, GroupByTime: "at", Granularity: granularity, TimeZone: "Europe/Berlin"}); got != want {
			t.Errorf("%s: got %s, want %s", granularity, got, want)
		}
	}
}

// Invariant 9, RD-26.5, RD-26.6, RD-34.4: of any records, in any scope: counts are those of the list, the groups add up to
// them, a sum of whole numbers is exact, and what the scope does not show moves nothing.
func TestAggregateAsTheList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := newShelf(t)
		defer func() { s.ok(s.Store.Close()) }()
		ids := []string{s.accept("c", summed), s.accept("d", summed)}
		bound := time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)
		scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: ids[:rapid.IntRange(1, 2).Draw(rt, "connections")], Fields: []string{"id", "n", "at"}}}}
		if rapid.Bool().Draw(rt, "timed") {
			scope.Streams[0].Time = &TimeBound{Field: "at", Since: &bound}
		}
		if rapid.Bool().Draw(rt, "keyed") {
			scope.Streams[0].Keys = []string{"0", "2"}
		}
		for range rapid.IntRange(0, 12).Draw(rt, "records") {
			key := fmt.Sprint(rapid.IntRange(0, 3).Draw(rt, "key"))
			s.put(rapid.SampledFrom([]string{"c", "d"}).Draw(rt, "connection"), "notes", key,
				fmt.Sprintf(`{"id":"%s","n":%d,"kind":"%d","at":"2026-01-0%dT00:00:00Z"}`, key, rapid.Int64().Draw(rt, "n"), rapid.IntRange(0, 1).Draw(rt, "kind"), rapid.IntRange(1, 5).Draw(rt, "day")))
		}
		list, err := s.List(t.Context(), scope, List{From: From{Stream: "notes"}, Limit: 100, Count: true})
		s.ok(err)
		want := new(big.Int)
		for i := range list.Records {
			var n int64
			_, number, _ := strings.Cut(string(list.Records[i].Data), `"n":`)
			_, err := fmt.Sscanf(number, "%d", &n)
			s.ok(err)
			want.Add(want, big.NewInt(n))
		}
		if got := s.told(scope, Aggregate{Metric: MetricSum, Field: "n"}); got != fmt.Sprintf("%s of %d", want, *list.Count) {
			rt.Fatalf("got the sum %s, want %s of %d", got, want, *list.Count)
		}
		if got := s.told(scope, Aggregate{Metric: MetricCount}); got != fmt.Sprintf("%d of %d", *list.Count, *list.Count) {
			rt.Fatalf("got the count %s, want %d", got, *list.Count)
		}
		grouped, err := s.Aggregate(t.Context(), scope, Aggregate{From: From{Stream: "notes"}, Metric: MetricCount, GroupByTime: "at", Granularity: "day", Limit: 1})
		s.ok(err)
		total := grouped.Other
		for _, g := range grouped.Groups {
			total += g.Count
		}
		if total != *list.Count {
			rt.Fatalf("the groups have %d records, want %d", total, *list.Count)
		}
	})
}
