package collector

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
)

// Cursors that are too much for one answer are read in pages, and one of them is
// committed all the same. A host that knows no pages is read at once.
func TestCursorsAreReadInPages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads 35 MB of cursors")
	}
	w := newWorld(t).guest()
	large := json.RawMessage(`{"x":"` + strings.Repeat("x", 7<<20) + `"}`)
	for i := range 5 {
		w.host.state[fmt.Sprint("s", i)] = large
	}
	w.host.state["notes"] = json.RawMessage(`{"at":1}`)
	whole := maps.Clone(w.host.state)
	_, err := w.collector().Run(t.Context(), w.script(done(0)))
	w.same(abi.CodeOf(err), CodeStateRead, "code of a host that says it all at once")

	w.host.pages = true
	state, err := w.collector().lane.State(t.Context())
	w.ok(err)
	w.same(len(state.State), 6, "cursors")
	for stream, cursor := range whole {
		w.same(len(state.State[stream]), len(cursor), "bytes of "+stream)
	}
	res := w.run(`expect {"at":1}` + "\n" + records("notes", 0, 1) + slice("notes", `{"at":2}`) + done(1))
	w.same(res.Outcome, OutcomeComplete, "outcome")
	w.same(w.host.cursor("notes"), `{"at":2}`, "cursor at the host")

	// Doctor asks whether the host answers, not for all that it has.
	before := w.host.count("GET state")
	d, err := w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(w.host.count("GET state")-before, 1, "requests of doctor")
	for _, c := range d.Checks {
		if c.Name == "host" && c.Level != LevelOK {
			t.Errorf("%+v", c)
		}
	}

	old := newWorld(t).guest()
	old.host.state["notes"] = json.RawMessage(`{"at":1}`)
	old.run(`expect {"at":1}` + "\n" + done(0))
	old.same(old.host.count("GET state"), 1, "requests for the state")
}

// Pages that lead nowhere, or never end, are no state; nor is a cursor that is
// larger than one may be.
func TestPagesThatAreNone(t *testing.T) {
	t.Parallel()
	page := func(state, next string) string {
		return fmt.Sprintf(`{"source_instance_id":%q,"device_id":%q,"connector_instance_id":"conn_1","state":{%s},"next":%q}`, testSource, testDevice, state, next)
	}
	for name, body := range map[string]func(n int) string{
		"the same page again":     func(int) string { return page(`"a":{}`, "a") },
		"a page that goes back":   func(n int) string { return page(`"a":{}`, []string{"b", "a"}[n%2]) },
		"pages without an end":    func(n int) string { return page(fmt.Sprintf(`"s%09d":{}`, n), fmt.Sprintf("s%09d", n)) },
		"pages of nothing":        func(n int) string { return page("", fmt.Sprintf("s%09d", n)) },
		"a cursor that is no one": func(int) string { return page(`"a":"x"`, "") },
		"another connection": func(n int) string {
			return strings.Replace(page(`"a":{}`, fmt.Sprint(n)), "conn_1", fmt.Sprint("conn_", n), 1)
		},
		"a cursor above its bound": func(int) string { return page(`"a":{"x":"`+strings.Repeat("x", abi.MaxStateBytes)+`"}`, "") },
		"cursors without bound": func(n int) string {
			return page(fmt.Sprintf(`"s%03d":{"x":"%s"}`, n, strings.Repeat("x", abi.MaxStateBytes-100)), fmt.Sprintf("s%03d", n))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name == "cursors without bound" {
				t.Skip("256 MiB of them")
			}
			w, n := newWorld(t), 0
			w.host.fail(func(*http.Request, []byte) (*answer, error) {
				if n++; n > 10_001 {
					t.Fatal("it goes on asking")
				}
				return &answer{status: 200, body: body(n)}, nil
			})
			if _, err := w.collector().lane.State(t.Context()); abi.CodeOf(err) != client.CodeAnswer {
				t.Errorf("%v after %d pages", err, n)
			}
		})
	}
}
