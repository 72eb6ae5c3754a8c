package storage

import (
	"fmt"
	"testing"
	"time"
)

// exerciseDisclosures: each read is kept for its time, and its day's sum for good (RD-56.3).
func exerciseDisclosures(t *testing.T, x *exercise) {
	ctx := t.Context()
	read := func(grant string, n int64, change ...func(*Disclosure)) Disclosure {
		d := Disclosure{
			At: x.clock.Now(), RequestID: "req", TokenID: "gtk", GrantID: grant, ClientID: "c", Route: "/v1/streams/{stream}/records", Parameters: []string{"limit", "fields"}, Connections: []string{"c1", "c2"},
			Records: map[string]int64{"issues": n}, Bytes: 10 * n, Status: 200, Took: 1500 * time.Microsecond,
		}
		for _, c := range change {
			c(&d)
		}
		return d
	}
	sums := func(grant string, want ...string) {
		t.Helper()
		all, err := x.s.Disclosed(ctx, grant)
		x.ok(err)
		got := []string{}
		for _, d := range all {
			got = append(got, fmt.Sprintf("%s %s %d %d %s", d.GrantID, d.Stream, d.Reads, d.Records, d.Since.Format(time.DateOnly)))
		}
		x.same(got, append([]string{}, want...))
	}
	x.ok(x.s.Disclose(ctx, nil))
	sums("")
	first := x.clock.Now().UTC().Format(time.DateOnly)
	refused := read("a", 0, func(d *Disclosure) { d.Records, d.Status, d.Code = nil, 403, "field_not_granted" })
	x.ok(x.s.Disclose(ctx, []Disclosure{read("a", 3), read("b", 5), refused, read("", 9), read("a", 4, func(d *Disclosure) { d.Records["stars"] = 1 })}))
	x.clock.forward(36 * time.Hour)
	x.ok(x.s.Disclose(ctx, []Disclosure{read("a", 1)}))
	sums("a", "a issues 3 8 "+first, "a stars 1 1 "+first)
	sums("b", "b issues 1 5 "+first)
	days := func(since time.Duration, want ...string) { // RD-54
		t.Helper()
		all, err := x.s.DisclosedDays(ctx, "a", x.clock.Now().Add(-since))
		x.ok(err)
		got := []string{}
		for _, d := range all {
			got = append(got, fmt.Sprintf("%s %d %d", d.Day.Format(time.DateOnly), d.Reads, d.Records))
		}
		x.same(got, append([]string{}, want...))
	}
	last := x.clock.Now().UTC().Format(time.DateOnly) + " 1 1"
	days(48*time.Hour, first+" 3 8", last)
	days(0, last)
	for since, want := range map[time.Duration]int64{time.Hour: 10, 48 * time.Hour: 80, 0: 10} {
		bytes, err := x.s.DisclosedBytes(ctx, "a", x.clock.Now().Add(-since))
		x.ok(err)
		x.same(bytes, want)
	}
	all, err := x.s.Disclosed(ctx, "a")
	x.ok(err)
	x.same(all[0].Last.UTC(), x.clock.Now().UTC())
	reads, err := x.s.Disclosures(ctx, "a", 0, 2)
	x.ok(err)
	x.same([]any{len(reads), reads[0].Records, reads[1].Streams, reads[1].Parameters, reads[1].Connections, reads[1].Records, reads[1].TookMS}, []any{2, int64(1), []string{"issues", "stars"}, []string{"limit", "fields"}, []string{"c1", "c2"}, int64(5), int64(1)})
	reads, err = x.s.Disclosures(ctx, "a", reads[1].Seq, 10)
	x.ok(err)
	x.same([]any{len(reads), reads[0].Code, reads[0].Streams}, []any{2, "field_not_granted", []string{}})
	reads, err = x.s.Disclosures(ctx, "", 0, 10) // of everybody
	x.ok(err)
	x.same([]any{len(reads), reads[0].GrantID, reads[2].GrantID, reads[2].Records}, []any{6, "a", "", int64(9)})

	// After their time the reads go, and the sums stay.
	x.clock.forward(400*24*time.Hour + time.Second)
	x.ok(x.s.Disclose(ctx, []Disclosure{read("b", 2)}))
	reads, err = x.s.Disclosures(ctx, "a", 0, 10)
	x.ok(err)
	x.same(len(reads), 0)
	sums("a", "a issues 3 8 "+first, "a stars 1 1 "+first)
	x.asked("one")
	x.ok(x.s.KeepReview(ctx, "one", "", "r1", []byte("{}")))
	_, err = x.s.ApproveGrant(ctx, x.approval("one", nil))
	x.ok(err)
	x.ok(x.s.LimitGrant(ctx, "grt_one", 1<<20))
	x.code(x.s.LimitGrant(ctx, "none", 1<<20), CodeGrantUnknown)
	g, err := x.s.GrantOf(ctx, "grt_one")
	x.ok(err)
	x.same(g.HourlyBytes, int64(1<<20))
}

// exerciseManyDisclosures: what is refused to an app drives out neither what it was told nor
// what others were, however often it asks (RD-56.3).
func exerciseManyDisclosures(t *testing.T, x *exercise) {
	ctx := t.Context()
	read := func(grant, token, code string) Disclosure {
		return Disclosure{At: x.clock.Now(), RequestID: "req", TokenID: token, GrantID: grant, Route: "/v1/streams", Status: 200, Code: code}
	}
	x.ok(x.s.Disclose(ctx, []Disclosure{read("a", "", ""), read("b", "", "refused"), read("", "t1", "refused")}))
	for range 30 {
		var many []Disclosure
		for range 500 {
			many = append(many, read("a", "", "refused"), read("", "t2", "refused"))
		}
		x.ok(x.s.Disclose(ctx, many))
	}
	kept := func(grant, token string) (answered, refused int) {
		t.Helper()
		all, err := x.s.Disclosures(ctx, grant, 0, 50_000)
		x.ok(err)
		for _, d := range all {
			switch {
			case d.TokenID != token:
			case d.Code == "":
				answered++
			default:
				refused++
			}
		}
		return answered, refused
	}
	answered, refused := kept("a", "")
	x.same([]any{answered, refused}, []any{1, 10_000})
	answered, refused = kept("b", "")
	x.same([]any{answered, refused}, []any{0, 1})
	_, refused = kept("", "t1")
	x.same(refused, 1)
}
