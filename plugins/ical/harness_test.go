package main

import (
	"encoding/json"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

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

func (f *folder) collect(t *testing.T, change ...func(*sdktest.Options)) *sdktest.Result {
	t.Helper()
	o := sdktest.Options{Roots: map[string]fs.FS{"ical": f}}
	for _, c := range change {
		c(&o)
	}
	res := sdktest.Collect(t, connector{}, o)
	conform(t, res)
	return res
}

func again(t *testing.T, res *sdktest.Result) *sdktest.Result {
	t.Helper()
	next := res.SecondRun(t, nil)
	conform(t, next)
	return next
}

// schemas compiles the manifest's stream schemas, once.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	var m abi.Manifest
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		panic(err)
	}
	compiled := map[string]*jsonschema.Schema{}
	for _, s := range m.Streams {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(s.Schema)))
		if err != nil {
			panic(err)
		}
		if err := c.AddResource(s.Name, doc); err != nil {
			panic(err)
		}
		compiled[s.Name] = c.MustCompile(s.Name)
	}
	return compiled
})

// conform holds every record against its stream's schema.
func conform(t *testing.T, res *sdktest.Result) {
	t.Helper()
	if res.Exit != 0 || (res.Done.Status != abi.DoneSucceeded && res.Done.Status != abi.DoneCancelled) {
		t.Fatalf("exit %d, done %+v", res.Exit, res.Done)
	}
	for _, rec := range res.All {
		if rec.Delete {
			continue
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(rec.Data)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas()[rec.Stream].Validate(doc); err != nil {
			t.Errorf("%s %s: %v\n%s", rec.Stream, rec.Key, err, rec.Data)
		}
	}
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
		t.Fatalf("no event %q", summary)
	}
	return found
}

func summaries(res *sdktest.Result) string {
	var list []string
	for _, r := range res.Records("events") {
		list = append(list, r.Text("summary"))
	}
	return strings.Join(list, ",")
}

func reasons(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		list = append(list, s.Reason)
	}
	return strings.Join(list, ",")
}
