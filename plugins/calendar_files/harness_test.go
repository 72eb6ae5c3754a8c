package main

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

var schemas = trial.SchemasOf(manifest)

// folder is a folder of calendar files whose times move with every write.
type folder struct {
	fs.FS
	files fstest.MapFS
	clock time.Time
}

func newFolder() *folder {
	f := &folder{files: fstest.MapFS{}, clock: sdktest.Epoch.Add(-time.Hour)}
	f.FS = f.files
	return f
}

func (f *folder) write(name, text string) {
	f.clock = f.clock.Add(time.Second)
	f.files[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "\n", "\r\n")), ModTime: f.clock}
}

func (f *folder) collect(t *testing.T, change ...trial.Change) *sdktest.Result {
	t.Helper()
	o := sdktest.Options{Roots: map[string]fs.FS{"calendar_files": f}}
	for _, c := range change {
		c(&o)
	}
	res := sdktest.Collect(t, connector{}, o)
	schemas.Sound(t, res)
	return res
}

func again(t *testing.T, res *sdktest.Result) *sdktest.Result {
	t.Helper()
	next := res.SecondRun(t, nil)
	schemas.Sound(t, next)
	return next
}

// vevent returns a VEVENT; lines are added as they are.
func vevent(uid, summary string, lines ...string) string {
	return "BEGIN:VEVENT\nUID:" + uid + "\nDTSTAMP:20260101T000000Z\nDTSTART:20260302T090000Z\nSUMMARY:" + summary + "\n" +
		strings.Join(append(lines, "END:VEVENT\n"), "\n")
}

func vcalendar(parts ...string) string {
	return "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Example//Calendar 3.1//EN\nX-WR-CALNAME:Home\n" + strings.Join(parts, "") + "END:VCALENDAR\n"
}

// bySummary returns the last live event of that summary.
func bySummary(t *testing.T, res *sdktest.Result, summary string) sdktest.Record {
	t.Helper()
	var found sdktest.Record
	for _, r := range res.Records("events") {
		if r.Text("summary") == summary {
			found = r
		}
	}
	if found.Key == "" {
		t.Fatalf("no event %q, want found.Key not \"\"", summary)
	}
	return found
}

// summaries are those of the events that a run adds or changes.
func summaries(res *sdktest.Result) string {
	var list []string
	for _, r := range res.Changes() {
		if r.Stream == streamEvents && !r.Delete {
			list = append(list, r.Text("summary"))
		}
	}
	return strings.Join(list, ",")
}

// deletes are the records of a stream that a run removes, by its own tombstones or by what an
// enumeration has not met.
func deletes(res *sdktest.Result, stream string) []sdktest.Record {
	var list []sdktest.Record
	for _, r := range res.Changes() {
		if r.Stream == stream && r.Delete {
			list = append(list, r)
		}
	}
	return list
}

// sent are the summaries of the events that a run emits, changed or not.
func sent(res *sdktest.Result) string {
	var list []string
	for _, r := range res.Records(streamEvents) {
		list = append(list, r.Text("summary"))
	}
	return strings.Join(list, ",")
}

// calls are the calls of a run, without what it asks the host for.
func calls(res *sdktest.Result) []sdktest.Call {
	return slices.DeleteFunc(slices.Clone(res.Calls), func(c sdktest.Call) bool { return c.Name == "submit" })
}
