package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-05: properties of events that no record has are counted by their names, with those that nobody knows.
func TestPropertiesThatNoRecordHas(t *testing.T) {
	t.Parallel()
	f := newFolder()
	var lines []string
	names := []string{
		"ATTACH", "COMMENT", "CONTACT", "RELATED-TO", "RESOURCES", "REQUEST-STATUS", "CONFERENCE", "IMAGE", "COLOR", "STYLED-DESCRIPTION",
		"STRUCTURED-DATA", "LINK", "AALARM", "X-ALT-DESC",
	}
	for _, name := range names {
		lines = append(lines, name+":x")
	}
	f.write("a.ics", vcalendar(vevent("1", "one", lines...)))
	counted := map[string]bool{}
	for _, u := range f.collect(t).Items(streamEvents).Unknown {
		counted[u.Name] = u.Count == 1
	}
	for _, name := range names {
		if !counted["property "+name] {
			t.Errorf("%s is not counted, want one", name)
		}
	}
	if len(counted) != len(names) {
		t.Errorf("got %v, want no other name", counted)
	}
}

// AC-02, AC-04: cancelled events are left out by a rule that owners accept, and counted. A gap that a rule explains is none.
func TestCancelledEventsAreTold(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one"), vevent("2", "two", "STATUS:CANCELLED"), vevent("3", "three", "STATUS:canceled")))
	first := f.collect(t)
	for _, res := range []*sdktest.Result{first, again(t, first)} {
		if got := trial.Reasons(res); got != "" {
			t.Errorf("the run has the gaps %q, want none", got)
		}
	}
	if got := summaries(first); got != "one" {
		t.Errorf("events %q, want one", got)
	}
	if got := first.Items(streamEvents).NotRecord; got != 2 {
		t.Errorf("%d events are none by rule, want 2", got)
	}
	row, _ := first.Record(streamCoverage, "coverage:cancelled_events")
	if got := row.Text("status") + " " + row.Text("reason"); !strings.HasPrefix(got, statusUnsupported+" 2 events or occurrences are cancelled") {
		t.Errorf("the coverage of cancelled events is %q, want %q with their count", got, statusUnsupported)
	}
}
