package sdktest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// inTest stands in for the *testing.T of a connector's own test.
type inTest struct{ testing.TB }

func (inTest) Helper()                           {}
func (inTest) Logf(string, ...any)               {}
func (inTest) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// tasks is a connector of one list.
type tasks struct{}

func (tasks) Manifest() string {
	return `{"connector_key": "tasks", "options": [{"name": "base_url", "type": "string"}],
		"runtime_requirements": {"bindings": {"network": {"required": true}}, "network": {"hosts": [{"host": "api.tasks.example", "reason": "x"}]}},
		"streams": [{"name": "tasks", "primary_key": ["id"], "semantics": "mutable_state"}]}`
}

func (tasks) Collect(h *sdk.Host) error {
	list := api.List{Name: "tasks", Pager: api.OnePage("/tasks", ""), Row: func(r *sdk.Record, v jsonvalue.Value) {
		r.Copy("id", v.Get("id"))
		r.Copy("done", v.Get("done"))
	}}
	return api.Collect(h, api.Provider{Name: "Tasks", Origin: "https://api.tasks.example"}, api.Table{Streams: []api.Stream{list.Stream()}})
}

// A second run has the cursors, the records and the gaps that the first left. Changes is what
// the host would write and delete.
func ExampleResult_SecondRun() {
	answer := `[{"id": "a", "done": false}, {"id": "b", "done": false}]`
	service := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) })
	run := sdktest.Collect(inTest{}, tasks{}, sdktest.Options{Provider: service})
	fmt.Println(run.Keys("tasks"))
	answer = `[{"id": "a", "done": true}]`
	for _, c := range run.SecondRun(inTest{}, nil).Changes() {
		fmt.Println(c.Key, c.Delete, string(c.Data))
	}
	// Output:
	// [a b]
	// a false {"id":"a","done":true}
	// b true
}
