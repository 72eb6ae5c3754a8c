package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// made is a calendar whose maker knows what is in it.
type made struct {
	text    string
	items   int // events that begin
	damaged int // of them, those without their own END or BEGIN
}

// makeCalendar makes a calendar of events that are whole, copies, versions, share a UID, or do not
// close, among lines that have no place there.
func makeCalendar(r *rand.Rand) made {
	var m made
	var parts []string
	for range r.IntN(12) {
		part := at(fmt.Sprint("uid", r.IntN(4)), fmt.Sprint("Größe ", r.IntN(3)), 1+r.IntN(3), fmt.Sprint("SEQUENCE:", r.IntN(2)))
		m.items++
		switch r.IntN(10) {
		case 0:
			part = strings.Replace(part, "END:VEVENT\n", "", 1)
			m.damaged++
		case 1:
			part = strings.Replace(part, "END:VEVENT", "END:VEVNT", 1)
			m.damaged++
		case 2:
			part = strings.Replace(part, "BEGIN:VEVENT", "BEGIN:VEVNT", 1)
			m.damaged++
		case 3:
			part = strings.Replace(part, "SUMMARY", "a line of a text\nEND: of it\nEND:VTODO\nSUMMARY", 1)
		case 4:
			part += "BEGIN:VTODO\nUID:t\nEND:VTODO\n"
		}
		parts = append(parts, part)
	}
	m.text = vcalendar(parts...)
	if r.IntN(3) == 0 {
		m.text += vcalendar()
	}
	m.text = strings.ReplaceAll(m.text, "\n", []string{"\r\n", "\n", "\r", "\r\r\n", " \r\n"}[r.IntN(5)])
	switch r.IntN(4) {
	case 0:
		m.text = "\xff\xfe" + wide(m.text, false)
	case 1:
		m.text = strings.NewReplacer("ö", "\xf6", "ß", "\xdf").Replace(m.text)
	}
	return m
}

// counted sums the events that a run did not emit, and counted as something else.
func counted(t *testing.T, res *sdktest.Result) (n int) {
	t.Helper()
	for _, store := range []string{"duplicate_events", "superseded_events"} {
		r, ok := res.Record(streamCoverage, "coverage:"+store)
		if !ok {
			t.Fatalf("no row of %s", store)
		}
		var rows int
		if _, err := fmt.Sscan(fmt.Sprint(r.Fields["count"]), &rows); err != nil {
			t.Fatal(err)
		}
		n += rows
	}
	return n
}

// AC-04, AC-06 and AC-15: the events of any calendar are its records and what is counted, one by one, and a
// calendar with damage says so.
func TestEveryEventIsAccountedFor(t *testing.T) {
	t.Parallel()
	for seed := range uint64(250) {
		m := makeCalendar(rand.New(rand.NewPCG(seed, 24)))
		f := newFolder()
		f.raw("a.ics", m.text)
		res := f.collect(t)
		others := counted(t, res)
		file, err := f.Open("a.ics")
		if err != nil {
			t.Fatal(err)
		}
		v, problem := surveyFile(file, make([]byte, 4096), "c")
		file.Close()
		if problem != nil {
			t.Fatalf("seed %d: %v, want a calendar", seed, problem)
		}
		records := len(res.Records(streamEvents))
		if sum := records + others + int(v.counts.broken); sum != m.items {
			t.Errorf("seed %d: %d records, %d counted and %d that do not close of %d events, want all\n%q", seed, records, others, v.counts.broken, m.items, m.text)
		}
		if told := messages(res)[torn.Reason] != ""; told != (m.damaged > 0) || int(v.counts.broken) > m.damaged { // the END of one may close the one before
			t.Errorf("seed %d: %d of %d damaged events counted, told %v", seed, v.counts.broken, m.damaged, told)
		}
		for _, r := range res.Records(streamEvents) {
			if name := strings.TrimSpace(r.Text("summary")); !strings.HasPrefix(name, "Größe ") {
				t.Errorf("seed %d: the summary %q, want it in its letters", seed, name)
			}
		}
	}
}
