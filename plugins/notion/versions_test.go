package main

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
)

// AC-12: since version 2025-09-03 a database holds several data sources, each with columns of its
// own, and a row belongs to one of them.
func TestADatabaseOfSeveralSources(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	home := w.AddPage("Home", nil)
	tasks := w.AddDatabase(home, "Tasks", nil)
	bugs := w.AddSource(tasks, "Bugs", map[string]any{"Grade": map[string]any{"id": "a", "name": "Grade", "type": "number", "number": map[string]any{}}})
	row := w.AddRow(bugs, "It fails", nil)
	res := w.Collect(t)
	for id, title := range map[string]string{tasks: "Tasks", bugs: "Bugs"} {
		r, _ := res.Record(streamDatabases, id)
		if r.Text("title") != title || r.Text("database_id") != notion.DatabaseOf(tasks) || r.Text("parent_id") != home {
			t.Errorf("%s, want %s in the database %s below %s", r.Data, title, notion.DatabaseOf(tasks), home)
		}
	}
	if r, _ := res.Record(streamPages, row); r.Text("parent_type") != "data_source_id" || r.Text("parent_id") != bugs {
		t.Errorf("%s, want a row of %s", r.Data, bugs)
	}
	w.Trash(bugs)
	w.Pass(25 * time.Hour)
	if next := w.After(t, res); len(next.Deletes(streamDatabases)) != 1 || len(next.Deletes(streamPages)) != 0 {
		t.Errorf("deleted %d databases and %d pages, want 1 and 0", len(next.Deletes(streamDatabases)), len(next.Deletes(streamPages)))
	}
}

// AC-12: databases that were collected before version 2025-09-03 give way to their data sources.
func TestDatabasesOfBefore(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	tasks := w.AddDatabase("", "Tasks", nil)
	res := w.Collect(t)
	stored := res.Stored()
	stored[streamDatabases] = map[string]sdktest.Record{notion.DatabaseOf(tasks): {Stream: streamDatabases, Key: notion.DatabaseOf(tasks)}}
	state := res.Committed()
	state[streamDatabases] = `{"v":2,"high_ms":1767323160000,"inventory_ms":1767323225000,"created_ms":1767319625000}`
	next := res.SecondRun(t, func(o *sdktest.Options) { o.State, o.Stored = state, stored })
	if _, there := next.Record(streamDatabases, tasks); !there || len(deleted(next)) != 1 {
		t.Errorf("the data source is there: %v, and %d databases are deleted; want true and 1", there, len(deleted(next)))
	}
}

// AC-12: version 2026-03-11 has renamed archived to in_trash, which the connector reads as well.
func TestArchivedIsRenamed(t *testing.T) {
	t.Parallel()
	w := newWorkspace(func(o *notion.Options) { o.InTrash = true })
	ids := w.pages(3)
	res := w.Collect(t)
	w.Trash(ids[0])
	w.Pass(25 * time.Hour)
	next := w.After(t, res)
	if got := next.Deletes(streamPages); len(res.Records(streamPages)) != 3 || len(got) != 1 || got[0].Key != ids[0] {
		t.Errorf("%d pages, deleted %v, want 3 and the one in the trash", len(res.Records(streamPages)), got)
	}
}
