package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-06: an event without a start, which RFC 5545 asks for, is collected, and its owner learns of it in
// each run. One that is cancelled, or in a message of one program to another, needs no start.
func TestEventsWithoutAStart(t *testing.T) {
	t.Parallel()
	without := func(start string, lines ...string) string {
		return strings.Replace(vevent("n", "none", lines...), "DTSTART:20260302T090000Z\n", start, 1)
	}
	for what, c := range map[string]struct{ text, reasons, file string }{
		"without a start":   {vcalendar(without("")), noStart.Reason, abi.FileDamaged},
		"with an odd one":   {vcalendar(without("DTSTART:31.12.2026\n")), badDates.Reason + "," + noStart.Reason, abi.FileDamaged},
		"cancelled":         {vcalendar(without("", "STATUS:CANCELLED")), "", abi.FileRead},
		"a message":         {vcalendar("METHOD:PUBLISH\n", without("")), "", abi.FileRead},
		"behind a message":  {vcalendar("METHOD:PUBLISH\n") + vcalendar(without("")), noStart.Reason, abi.FileDamaged},
		"with a whole one":  {vcalendar(vevent("w", "whole")), "", abi.FileRead},
		"behind a blank":    {vcalendar(without(" DTSTART:20260302T090000Z\n")), "", abi.FileRead},
		"indented by hand":  {vcalendar("BEGIN:VEVENT\nUID:u\n DTSTART:20260302T090000Z\n SUMMARY:none\nEND:VEVENT\n"), "", abi.FileRead},
		"a start elsewhere": {vcalendar(without("BEGIN:VALARM\nDTSTART:20260302T090000Z\nEND:VALARM\n")), noStart.Reason, abi.FileDamaged},
	} {
		f := newFolder()
		f.write("a.ics", c.text)
		first := f.collect(t)
		for _, res := range []*sdktest.Result{first, again(t, first)} {
			if got := trial.Reasons(res); got != c.reasons || res.File(rootName, "a.ics") != c.file {
				t.Errorf("%s: %q, file %q, want %q, %s", what, got, res.File(rootName, "a.ics"), c.reasons, c.file)
			}
		}
		if got := summaries(first); what != "cancelled" && got != "none" && got != "whole" {
			t.Errorf("%s: events %q, want the one", what, got)
		}
	}
}

// AC-02: a file is accounted for with each reason that is told of it, also when it is no calendar any more.
func TestEachReasonOfAFile(t *testing.T) {
	t.Parallel()
	f := newFolder()
	event := strings.Replace(vevent("n", "none"), "DTSTART:20260302T090000Z\n", "", 1)
	f.write("a.ics", strings.TrimSuffix(vcalendar(event), "END:VCALENDAR\n"))
	first := f.collect(t)
	f.write("a.ics", "<html>")
	for step, res := range []*sdktest.Result{first, again(t, first)} {
		var got []string
		for _, a := range res.Accounts {
			for _, file := range a.Files {
				got = append(got, file.As+" "+file.Reason)
			}
		}
		want := []string{"damaged " + torn.Reason, "damaged " + noStart.Reason}
		if step == 1 {
			want = append(want, "known "+notICal.Reason)
		}
		if !slices.Equal(got, want) {
			t.Errorf("step %d: got %q, want %q", step, got, want)
		}
		for _, s := range res.Skips {
			if s.Reason != notICal.Reason && !slices.Contains(want, "damaged "+s.Reason) {
				t.Errorf("step %d: got the gap %s, want no reason that the file does not have", step, s.Reason)
			}
		}
	}
}
