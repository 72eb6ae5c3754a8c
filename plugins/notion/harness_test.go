package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pdpp-host/pdpp-host/abi"
	contract "github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
)

// RT-01.1, RT-11.1: the manifest is one that the host takes.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	for _, p := range contract.Problems([]byte(manifest)) {
		t.Errorf("%s: %s", p.Path, p.Rule)
	}
}

// workspace is a simulated workspace, the faults before it, and its clock.
type workspace struct {
	*notion.Provider

	faults *fault.Injector
	mu     sync.Mutex
	clock  time.Time
}

func newWorkspace(change ...func(*notion.Options)) *workspace {
	w := &workspace{clock: sdktest.Epoch}
	o := notion.Options{Now: w.now}
	for _, c := range change {
		c(&o)
	}
	w.Provider = notion.New(o)
	w.faults = fault.New(w.Provider, fault.Env{})
	return w
}

func (w *workspace) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

func (w *workspace) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

// pages adds n pages, a minute apart, and returns their ids.
func (w *workspace) pages(n int) []string {
	var ids []string
	for i := range n {
		ids = append(ids, w.AddPage(fmt.Sprintf("Page %d", i), nil))
		w.pass(time.Minute)
	}
	return ids
}

func (w *workspace) options(change ...func(*sdktest.Options)) sdktest.Options {
	o := sdktest.Options{Provider: w.faults, Now: w.now, Credentials: map[string]bool{"token": true}}
	for _, c := range change {
		c(&o)
	}
	return o
}

// collect does a first run that must succeed.
func (w *workspace) collect(t *testing.T, change ...func(*sdktest.Options)) *sdktest.Result {
	t.Helper()
	res := sdktest.Collect(t, connector{}, w.options(change...))
	succeeded(t, res)
	return res
}

// again does the next run, which must succeed.
func (w *workspace) again(t *testing.T, res *sdktest.Result) *sdktest.Result {
	t.Helper()
	w.Forget()
	next := res.SecondRun(t, nil)
	succeeded(t, next)
	return next
}

func succeeded(t *testing.T, res *sdktest.Result) {
	t.Helper()
	if res.Done.Status != abi.DoneSucceeded {
		t.Fatalf("done %+v %+v, skips %+v", res.Done, res.Done.Error, res.Skips)
	}
	conform(t, res)
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

func titles(res *sdktest.Result, stream string) string {
	var list []string
	for _, r := range res.Records(stream) {
		list = append(list, r.Text("title"))
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

func deleted(res *sdktest.Result) []string {
	var keys []string
	for _, r := range append(res.Deletes(streamPages), res.Deletes(streamDatabases)...) {
		keys = append(keys, r.Key)
	}
	return keys
}

func reasons(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		list = append(list, s.Stream+" "+s.Reason)
	}
	return strings.Join(list, ",")
}

// paths lists the requests since the last Forget.
func (w *workspace) paths() string {
	var list []string
	for _, r := range w.Requests() {
		list = append(list, r.Method+" "+strings.TrimPrefix(r.Path, "/v1"))
	}
	return strings.Join(list, ",")
}

// searching matches the searches for a kind.
func searching(kind string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		if r.URL.Path != "/v1/search" || r.GetBody == nil {
			return false
		}
		body, err := r.GetBody()
		if err != nil {
			return false
		}
		var q struct {
			Filter struct {
				Value string `json:"value"`
			} `json:"filter"`
		}
		return json.NewDecoder(body).Decode(&q) == nil && q.Filter.Value == kind
	}
}
