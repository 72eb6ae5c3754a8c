package main

import (
	_ "embed"
	"fmt"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// before is the history below as the version of this connector wrote it that kept a list of
// the objects in its cursor.
//
//go:embed testdata/history.txt
var before string

// The connector writes the records, tombstones, reports and failures that it wrote before it
// left the list of objects to the host.
func TestHistoryIsAsBefore(t *testing.T) {
	t.Parallel()
	trial.SameHistory(t, history(t), before)
}

func history(t *testing.T) string {
	t.Helper()
	var h trial.History
	w := newWorkspace()
	w.Misbehave(notion.Faults{ShortPages: 7})
	home := w.AddPage("Home", nil)
	tasks := w.AddDatabase(home, "Tasks", map[string]any{"Due": map[string]any{"id": "a", "name": "Due", "type": "date", "date": map[string]any{}}})
	w.AddDatabase("", "Empty", nil)
	var rows []string
	for i := range 20 {
		rows = append(rows, w.AddRow(tasks, fmt.Sprintf("Row “%d”", i), map[string]any{
			"Due":   map[string]any{"id": "a", "type": "date", "date": map[string]any{"start": "2026-02-01", "end": nil, "time_zone": nil}},
			"Price": map[string]any{"id": "b", "type": "number", "number": float64(i) / 4}, "None": map[string]any{"id": "n", "type": "number", "number": nil},
			"Tags":  map[string]any{"id": "c", "type": "multi_select", "multi_select": []any{map[string]any{"name": "home"}, map[string]any{"name": "food"}}},
			"Done":  map[string]any{"id": "e", "type": "checkbox", "checkbox": i%2 == 0},
			"Links": map[string]any{"id": "i", "type": "relation", "relation": []any{map[string]any{"id": home}}, "has_more": i%3 == 0},
			"Roll": map[string]any{"id": "m", "type": "rollup", "rollup": map[string]any{"type": "array", "array": []any{
				map[string]any{"type": "title", "title": notion.Text("T")}, map[string]any{"type": "number", "number": i}}}},
		}))
		w.Pass(9 * time.Minute)
	}
	pages := w.pages(25)
	res := w.Failing(t)
	h.Add("first run", res)
	run := func(step string, change ...trial.Change) {
		t.Helper()
		w.Forget()
		var c trial.Change
		if len(change) > 0 {
			c = change[0]
		}
		res = res.SecondRun(t, c)
		h.Add(step, res)
	}
	run("nothing new")
	w.Pass(2 * time.Hour)
	w.Edit(pages[3], "Edited")
	w.SetProperty(rows[2], "New", map[string]any{"id": "q", "type": "hologram", "hologram": 1})
	w.AddPage("New", nil)
	run("an edit, an unknown property, a new page")
	w.Trash(pages[0])
	w.Unshare(rows[1])
	w.Hide(pages[5])
	w.Override(pages[6], "id", "../users")
	run("removals, too early to find")
	w.Pass(25 * time.Hour)
	run("removals")
	w.Trash(pages[1])
	w.Hide(pages[2])
	w.Pass(25 * time.Hour)
	w.Faults.Add(fault.Rule{Match: fault.Path("/v1/pages/" + pages[1]), Fault: fault.Status(502, "")})
	w.Faults.Add(fault.Rule{Match: fault.Path("/v1/pages/" + pages[2]), Fault: fault.Status(403, "")})
	run("look-ups that fail")
	w.Faults.Clear()
	run("look-ups again")
	w.Misbehave(notion.Faults{ShortPages: 7, Incomplete: true})
	w.Pass(25 * time.Hour)
	run("an incomplete search")
	w.Misbehave(notion.Faults{ShortPages: 7})
	w.Faults.Add(fault.Rule{Match: searching("data_source"), Fault: fault.Status(403, `{"object":"error"}`)})
	w.Restore(pages[0])
	w.Override(pages[8], "in_trash", true)
	w.Pass(25 * time.Hour)
	run("a stream that fails, a restored page, one in the trash")
	w.Faults.Add(fault.Rule{Match: searching("page"), After: 2, Fault: fault.Throttle("7")})
	w.Edit(pages[10], "Edited again")
	w.Pass(25 * time.Hour)
	run("refused half-way")
	w.Faults.Clear()
	run("to the end")
	w.Trash(tasks)
	w.Trash(rows[7])
	run("a full refresh", trial.FullRefresh)
	run("after it", trial.Incremental)
	return h.String()
}
