package main

import (
	"encoding/json"
	"fmt"
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
