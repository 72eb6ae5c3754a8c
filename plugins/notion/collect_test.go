package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	home := w.AddPage("Home", nil)
	tasks := w.AddDatabase(home, "Tasks", map[string]any{
		"Due": map[string]any{"id": "a", "name": "Due", "type": "date", "date": map[string]any{}},
	})
	w.Pass(90 * time.Second)
	row := w.AddRow(tasks, "Buy “milk”\n", map[string]any{
		"Due":   map[string]any{"id": "a", "type": "date", "date": map[string]any{"start": "2026-02-01", "end": nil, "time_zone": nil}},
		"Price": map[string]any{"id": "b", "type": "number", "number": 1.5}, "None": map[string]any{"id": "n", "type": "number", "number": nil},
		"Tags":  map[string]any{"id": "c", "type": "multi_select", "multi_select": []any{map[string]any{"name": "home"}, map[string]any{"name": "food"}}},
		"State": map[string]any{"id": "d", "type": "status", "status": map[string]any{"id": "x", "name": "Open", "color": "red"}},
		"Done":  map[string]any{"id": "e", "type": "checkbox", "checkbox": false},
		"Notes": map[string]any{"id": "f", "type": "rich_text", "rich_text": append(notion.Text("two "), notion.Text("parts")...)},
		"Files": map[string]any{"id": "g", "type": "files", "files": []any{map[string]any{
			"name": "scan.pdf", "type": "file", "file": map[string]any{"url": "https://files.example/scan.pdf?X-Signature=abc", "expiry_time": "2026-01-02T04:04:05.000Z"}}}},
		"Who":   map[string]any{"id": "h", "type": "people", "people": []any{map[string]any{"object": "user", "id": "u1"}}},
		"Links": map[string]any{"id": "i", "type": "relation", "relation": []any{map[string]any{"id": home}}, "has_more": true},
		"Key":   map[string]any{"id": "j", "type": "unique_id", "unique_id": map[string]any{"prefix": "TASK", "number": 12}},
		"Sum":   map[string]any{"id": "k", "type": "formula", "formula": map[string]any{"type": "string", "string": "x1"}},
		"When":  map[string]any{"id": "l", "type": "formula", "formula": map[string]any{"type": "date", "date": map[string]any{"start": "2026-03-01", "end": nil}}},
		"Roll": map[string]any{"id": "m", "type": "rollup", "rollup": map[string]any{"type": "array", "function": "show_original", "array": []any{
			map[string]any{"type": "title", "title": notion.Text("T")}, map[string]any{"type": "number", "number": 7}}}},
		"Made": map[string]any{"id": "o", "type": "created_by", "created_by": map[string]any{"object": "user", "id": "u2"}},
	})
	res := w.Collect(t)
	page, _ := res.Record(streamPages, row)
	want := fmt.Sprintf(`{"id":%q,"object":"page","title":"Buy “milk”\n","parent_type":"data_source_id","parent_id":%q,`+
		`"url":"https://www.notion.so/%s","public_url":null,"icon":"📓","archived":false,"in_trash":false,`+
		`"created_time":"2026-01-02T03:05:00.000Z","last_edited_time":"2026-01-02T03:05:00.000Z",`+
		`"created_by_id":"00000000-1111-4111-8111-111111111111","last_edited_by_id":"00000000-1111-4111-8111-111111111111",`+
		`"properties":{"Done":false,"Due":{"start":"2026-02-01","end":null,"time_zone":null},"Files":["scan.pdf"],"Key":"TASK-12","Links":[%q],`+
		`"Made":"u2","None":null,"Notes":"two parts","Price":1.5,"Roll":["T",7],"State":"Open","Sum":"x1","Tags":["home","food"],`+
		`"When":{"start":"2026-03-01","end":null,"time_zone":null},"Who":["u1"]},"properties_truncated":true}`,
		row, tasks, strings.ReplaceAll(row, "-", ""), home)
	if string(page.Data) != want {
		t.Errorf("\n got %s\nwant %s", page.Data, want)
	}
	db, _ := res.Record(streamDatabases, tasks)
	if db.Text("title") != "Tasks" || db.Text("description") != "About Tasks" || db.Text("parent_type") != "page_id" || db.Text("parent_id") != home ||
		fmt.Sprint(db.Fields["property_names"], db.Fields["property_types"]) != "[Due Name] map[Due:date Name:title]" {
		t.Errorf("%s, want every field of the database Tasks", db.Data)
	}
	if top, _ := res.Record(streamPages, home); top.Text("parent_type") != "workspace" || top.Fields["parent_id"] != nil {
		t.Errorf("%s, want top.Text(\"parent_type\") = workspace and top.Fields[\"parent_id\"] = nil", top.Data)
	}
	if strings.Contains(string(page.Data), "Signature") {
		t.Error("a signed address is in the record")
	}
	if trial.Skips(res) != "" {
		t.Errorf("%v, want \"\"", trial.Skips(res))
	}
}

// The requests follow the document: version, size, filter, order.
func TestRequests(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	w.pages(101)
	res := w.Collect(t, func(o *sdktest.Options) {
		o.Options = map[string]string{"base_url": "http://127.0.0.1:4000/"}
		o.Streams = []string{streamPages}
	})
	if len(res.Requests) != 3 {
		t.Fatalf("%d requests, want 3", len(res.Requests))
	}
	if r := res.Requests[0]; r.URL != "http://127.0.0.1:4000/v1/users/me" || r.Headers["Notion-Version"] != "2025-09-03" || r.Credential != "notion" {
		t.Errorf("%+v, want URL = http://127.0.0.1:4000/v1/users/me, Headers[\"Notion-Version\"] = 2025-09-03 and Credential = notion", r)
	}
	for i, r := range res.Requests[1:] {
		if r.URL != "http://127.0.0.1:4000/v1/search" || r.Method != http.MethodPost || r.Headers["Notion-Version"] != "2025-09-03" || r.Credential != "notion" {
			t.Errorf("%+v, want URL = http://127.0.0.1:4000/v1/search, Method = %v, Headers[\"Notion-Version\"] = 2025-09-03 and Credential = notion", r, http.MethodPost)
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(body["page_size"], body["filter"], body["sort"])
		if got != "100 map[property:object value:page] map[direction:descending timestamp:last_edited_time]" || (body["start_cursor"] != nil) != (i == 1) {
			t.Errorf("%s, want 100 pages, newest first, with a cursor from the second request on", r.Body)
		}
	}
	if r := newWorkspace().Collect(t).Requests; r[1].URL != "https://api.notion.com/v1/search" {
		t.Errorf("%v, want https://api.notion.com/v1/search", r[1].URL)
	}
}

func TestEmptyWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	res := w.Collect(t)
	if len(res.Changes()) != 0 || len(res.Skips) != 0 || w.paths() != "GET /users/me,POST /search,POST /search" {
		t.Errorf("%+v %s, want len(res.Changes()) = 0, len(res.Skips) = 0 and paths() = GET /users/me,POST /search,POST /search", res.All, w.paths())
	}
	if next := w.Again(t, res); len(next.Changes()) != 0 {
		t.Errorf("%v, want len(next.Changes()) = 0", next.All)
	}
}

// A run that finds nothing new makes three requests, one of them for the token's owner,
// and emits nothing; an edit is one record.
func TestIncremental(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(250)
	first := w.Collect(t)
	if len(records(first, streamPages)) != 250 {
		t.Fatalf("%d pages, want 250", len(records(first, streamPages)))
	}
	w.Pass(2 * time.Hour)
	second := w.Again(t, first) // goes through everything once more: the pages may have shifted
	if len(second.Changes()) != 0 || len(w.Requests()) != 5 {
		t.Fatalf("%d records, %s, want len(second.Changes()) = 0 and len(w.Requests()) = 5", len(second.Changes()), w.paths())
	}
	third := w.Again(t, second)
	if len(third.Changes()) != 0 || len(w.Requests()) != 3 {
		t.Fatalf("%d records, %s, want len(third.Changes()) = 0 and len(w.Requests()) = 3", len(third.Changes()), w.paths())
	}
	w.Edit(ids[7], "Edited")
	fresh := w.AddPage("New", nil)
	fourth := w.Again(t, third)
	if titles(fourth, streamPages) != "Edited,New" || len(fourth.Changes()) != 2 || len(w.Requests()) != 3 {
		t.Fatalf("%v, %s, want titles(fourth, streamPages) = Edited,New, len(fourth.Changes()) = 2 and len(w.Requests()) = 3", titles(fourth, streamPages), w.paths())
	}
	if _, ok := fourth.Record(streamPages, fresh); !ok {
		t.Error("the new page has no record")
	}
	full := fourth.SecondRun(t, func(o *sdktest.Options) { o.Mode = abi.ModeFullRefresh })
	if n := len(full.Records(streamPages)); n != 251 {
		t.Errorf("a full refresh emitted %d pages, want 251", n)
	}
}

// Two edits within one minute have the same time: the second one is not lost.
func TestEditWithinTheMinute(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	id := w.AddPage("first", nil)
	res := w.Collect(t)
	w.Pass(10 * time.Second)
	w.Edit(id, "second")
	res = w.Again(t, res)
	if titles(res, streamPages) != "second" {
		t.Fatalf("%v, want second", titles(res, streamPages))
	}
	if res = w.Again(t, res); len(res.Changes()) != 0 {
		t.Errorf("emitted again: %s, want len(res.Changes()) = 0", titles(res, streamPages))
	}
}

// A page that the index shows late, behind newer ones, is found: within the
// hour by the next run, later by the daily one.
func TestIndexLag(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	w.Misbehave(notion.Faults{ShortPages: 1})
	w.pages(3)
	late := w.AddPage("late", nil)
	w.Hide(late)
	w.Pass(10 * time.Minute)
	w.AddPage("in between", nil)
	w.Pass(2 * time.Minute)
	w.AddPage("newer", nil)
	res := w.Again(t, w.Again(t, w.Collect(t)))
	w.Show(late)
	if res = w.Again(t, res); titles(res, streamPages) != "late" {
		t.Fatalf("within the hour: %q, want late", titles(res, streamPages))
	}
	res = w.Again(t, res)
	later := w.AddPage("much later", nil)
	w.Hide(later)
	w.Pass(3 * time.Hour)
	w.AddPage("newest", nil)
	res = w.Again(t, res)
	w.Show(later)
	w.Pass(21 * time.Hour)
	if res = w.Again(t, res); titles(res, streamPages) != "much later" {
		t.Errorf("after a day: %q, want much later", titles(res, streamPages))
	}
	// An object that earlier walks should have met is a reason to walk through
	// everything again.
	for _, want := range []int{8, 2} {
		if res = w.Again(t, res); strings.Count(w.paths(), "POST") < want || want == 2 && strings.Count(w.paths(), "POST") > 4 || len(res.Changes()) != 0 {
			t.Errorf("%s, want %d searches", w.paths(), want)
		}
	}
}

// The daily walk buries objects that are in the trash or no longer shared. It does not
// bury objects that search merely fails to list.
func TestRemovals(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(6)
	db := w.AddDatabase("", "Tasks", nil)
	res := w.Again(t, w.Collect(t))
	w.Trash(ids[0])
	w.Unshare(ids[1])
	w.Hide(ids[2])
	w.Trash(db)
	w.Pass(23 * time.Hour)
	if res = w.Again(t, res); len(deleted(res)) != 0 {
		t.Fatalf("before it is due: %v, want len(deleted(res)) = 0", deleted(res))
	}
	w.Pass(2 * time.Hour)
	res = w.Again(t, res)
	want := []string{ids[0], ids[1], db}
	slices.Sort(want)
	got := deleted(res)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(records(res, streamPages)) != 0 {
		t.Fatalf("deleted %v, want %v; emitted %s", got, want, titles(res, streamPages))
	}
	if n := strings.Count(w.paths(), "GET /pages/"); n != 3 {
		t.Errorf("asked for %d pages by id, want 3", n)
	}
	// A restored object is emitted again, and nothing is buried twice.
	w.Restore(ids[0])
	w.Pass(25 * time.Hour)
	res = w.Again(t, res)
	if titles(res, streamPages) != "Page 0" || len(deleted(res)) != 0 {
		t.Errorf("emitted %s, deleted %v, want titles(res, streamPages) = Page 0 and len(deleted(res)) = 0", titles(res, streamPages), deleted(res))
	}
}

// An object that search shows as archived is buried at once.
func TestArchivedInResults(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(2)
	res := w.Collect(t)
	w.Override(ids[0], "archived", true)
	w.Override(ids[1], "in_trash", true)
	if res = w.Again(t, res); len(deleted(res)) != 2 {
		t.Fatalf("%v, want len(deleted(res)) = 2", deleted(res))
	}
	if res = w.Again(t, res); len(res.Changes()) != 0 {
		t.Error("the page got a second tombstone, want one")
	}
}

// Two runs over the same workspace emit the same bytes.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	run := func() []sdktest.Call {
		w := newWorkspace()
		ids := w.pages(130)
		res := w.Again(t, w.Collect(t))
		for _, id := range ids[:20] {
			w.Trash(id)
		}
		w.Pass(25 * time.Hour)
		return append(res.Calls, w.Again(t, res).Calls...)
	}
	if a, b := run(), run(); !slices.Equal(a, b) {
		t.Error("the calls differ")
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(5)
	res := w.Collect(t, func(o *sdktest.Options) {
		o.Scope = []abi.StreamScope{{Name: streamPages, Resources: ids[:2], Fields: []string{"id", "title"}}}
	})
	if len(res.Changes()) != 2 || string(res.All[1].Data) != fmt.Sprintf(`{"id":%q,"title":"Page 0"}`, ids[0]) || len(w.Requests()) != 2 {
		t.Errorf("%+v, want len(res.Changes()) = 2, the second one with id and title alone, after 2 requests", res.All)
	}
}

// RT-08.2: with nobody to ask, the run names the missing credentials.
func TestMissingCredentials(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	res := w.Failing(t, func(o *sdktest.Options) { o.Credentials = nil })
	if res.Done.Status != abi.DoneFailed || !strings.Contains(res.Done.Error.Message, "NOTION_API_TOKEN") || len(w.Requests()) != 0 {
		t.Errorf("%+v, want Done.Status = %v, NOTION_API_TOKEN in Done.Error.Message and len(w.Requests()) = 0", res.Done, abi.DoneFailed)
	}
}

// AC-09: what the search does not list and a look-up does not find is left to the host, which weighs
// it with the whole list: the connector deletes none of it, were it all there is.
func TestWhatIsNotFoundIsWeighed(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(12)
	res := w.Again(t, w.Collect(t))
	for _, id := range ids {
		w.Unshare(id)
	}
	w.Pass(25 * time.Hour)
	res = w.Again(t, res)
	whole := false
	for _, e := range res.Enumerations {
		whole = whole || e.Stream == streamPages && e.Status == abi.EnumerationWhole
	}
	if n := len(res.Deletes(streamPages)); n != 0 || !whole || len(deleted(res)) != len(ids) {
		t.Errorf("the connector deleted %d of %d, the list is whole: %v, and it did not meet %d; want none, true and all of them", n, len(ids), whole, len(deleted(res)))
	}
}
