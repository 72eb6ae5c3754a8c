package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }

// limits let a guest that must be killed be killed soon.
func limits() plugin.Limits {
	l := plugin.DefaultLimits()
	l.Describe, l.Grace = 20*time.Second, time.Second
	return l
}

func check(t *testing.T, o Options) *Report {
	t.Helper()
	if o.Engine == nil {
		o.Engine = rig.Engine(t, plugin.IsolationInline, limits())
	}
	o.Dir = t.TempDir()
	r, err := Check(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantAll fails the test for each clause that did not pass, except for those that may
// be skipped.
func wantAll(t *testing.T, r *Report, mayskip ...string) {
	t.Helper()
	skipped := map[string]bool{}
	for _, id := range mayskip {
		skipped[id] = true
	}
	for _, c := range r.Clauses {
		if c.Outcome == Fail || c.Outcome != Pass && !skipped[c.ID] {
			t.Errorf("%s %s: %s, want pass", c.Outcome, c.ID, c.Detail)
		}
		if c.Outcome == Pass && skipped[c.ID] {
			t.Errorf("%s passed, and was expected to be skipped", c.ID)
		}
	}
}

func scripted(t *testing.T) *plugin.File {
	t.Helper()
	return rig.Guest(t, "testplugins/guests/scripted@enumerate")
}

// folder is a root with one file.
func folder(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "here.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"scripted": dir}
}

func state(stream string) string {
	return fmt.Sprintf("when \"name\":%q state {\"type\":\"STATE\",\"stream\":%q,\"cursor\":{\"at\":1}}\n", stream, stream)
}

// collecting are the lines of a script that keeps every clause, by purpose.
const (
	firstNotes  = "when \"name\":\"notes\" unless \"notes\":{\"at\" unless \"resources\" unless \"time_range\" records notes 0 3\n"
	oneNote     = "when \"resources\":[\"notes-2\"] records notes 2 3\n"
	firstPapers = "when \"name\":\"journal\" unless \"journal\":{\"at\" unless \"resources\" records journal 0 2\n"
)

// enumerating emits the notes in each run, in an enumeration.
var enumerating = whenNotes + `enumerate {"type":"ENUMERATION","stream":"notes","status":"open"}` + "\n" +
	whenNotes + "unless \"resources\" unless \"time_range\" records notes 0 3\n" + oneNote +
	strings.Replace(timed, `unless "notes":{"at" `, "", 1) +
	whenNotes + `enumerate {"type":"ENUMERATION","stream":"notes","status":"whole"}` + "\n"

const whenNotes = "when \"name\":\"notes\" "

// timed emits a record with a consent time, which only runs without a range get.
const timed = `when "name":"notes" unless "notes":{"at" unless "resources" unless "time_range" emit {"type":"RECORD","stream":"notes","key":"timed","data":{"id":"timed","at":"2026-01-01T00:00:00Z"},"emitted_at":"2026-01-01T00:00:00Z"}` + "\n"

// onFirst begins a line for the first run, and others that are given no cursor and nothing narrower.
const onFirst = "unless \"state\":{ unless \"resources\" unless \"time_range\" when \"name\":\"notes\" when \"name\":\"journal\" "

// accounting accounts for the items of the notes.
func accounting(counts string) string {
	return onFirst + `account {"type":"ACCOUNT","streams":[{"stream":"notes",` + counts + `}]}` + "\n"
}

// honest keeps every clause.
func honest() string {
	return firstNotes + timed + oneNote + firstPapers + state("notes") + state("journal") + "finish"
}
