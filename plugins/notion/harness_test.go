package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-01.1, RT-11.1: the host accepts the manifest.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	trial.Valid(t, manifest)
}

var schemas = trial.SchemasOf(manifest)

// workspace is a simulated workspace and the runs on it.
type workspace struct {
	*notion.Provider
	*trial.Account
}

func newWorkspace(change ...func(*notion.Options)) *workspace {
	w := &workspace{Account: trial.NewAccount(connector{}, schemas, map[string]bool{"token": true})}
	o := notion.Options{Now: w.Now}
	for _, c := range change {
		c(&o)
	}
	w.Provider = notion.New(o)
	w.At(w.Provider)
	return w
}

// pages adds n pages, a minute apart, and returns their ids.
func (w *workspace) pages(n int) []string {
	var ids []string
	for i := range n {
		ids = append(ids, w.AddPage(fmt.Sprintf("Page %d", i), nil))
		w.Pass(time.Minute)
	}
	return ids
}

// records lists the records of a stream that a run changed in the host's store.
func records(res *sdktest.Result, stream string) []sdktest.Record {
	return slices.DeleteFunc(res.Changes(), func(r sdktest.Record) bool { return r.Delete || r.Stream != stream })
}

func titles(res *sdktest.Result, stream string) string {
	var list []string
	for _, r := range records(res, stream) {
		list = append(list, r.Text("title"))
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// emitted lists the titles of the pages that a run emitted, changed or not.
func emitted(runs ...*sdktest.Result) string {
	list := make(map[string]bool)
	for _, res := range runs {
		for _, r := range res.Records(streamPages) {
			list[r.Text("title")] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(list)), ",")
}

func deleted(res *sdktest.Result) []string {
	var keys []string
	for _, r := range res.Changes() {
		if r.Delete {
			keys = append(keys, r.Key)
		}
	}
	return keys
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
