package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-23.1: a provider that keeps refusing ends the run under its own name. The
// collected objects stay, and the next run continues from there.
func TestRateLimited(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	w.pages(250)
	w.Faults.Add(fault.Rule{Match: searching("page"), After: 2, Fault: fault.Throttle("7")})
	res := w.Failing(t)
	if e := res.Done.Error; res.Done.Status != abi.DoneFailed || e.Code != "notion_rate_limited" || e.Message != "notion_rate_limited" || !e.Retryable {
		t.Fatalf("%+v, want Done.Status = %v, e.Code = notion_rate_limited, e.Message = notion_rate_limited and e.Retryable", e, abi.DoneFailed)
	}
	if n := len(records(res, streamPages)); n != 200 {
		t.Fatalf("%d pages before the refusal, want 200", n)
	}
	next := w.Again(t, res)
	if n := len(records(next, streamPages)); n != 50 {
		t.Errorf("%d pages after it, want the other 50", n)
	}
}

// The errors that end a run and those that end one stream. A sign-in that the host
// could not renew counts as one that the provider refuses.
func TestEndsRun(t *testing.T) {
	t.Parallel()
	trial.Ends(t, "notion", api.EndsRun, func(err error) error { return sdk.AuthFailed("notion", err) })
}

// A stream that fails is named, and the other one is collected.
func TestOneStreamFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault fault.Fault
		code  string
	}{
		"server error":  {fault.Status(500, `{"object":"error"}`), "send.attempts_exhausted"},
		"unavailable":   {fault.Status(503, ``), "send.attempts_exhausted"},
		"forbidden":     {fault.Status(403, `{"object":"error","code":"restricted_resource"}`), "notion_http_403"},
		"broken JSON":   {fault.BrokenJSON(), "notion_malformed_response"},
		"a web page":    {fault.Status(200, `<html></html>`, "Content-Type", "text/html"), "notion_malformed_response"},
		"no results":    {fault.Replace(`"results"`, `"items"`), "notion_malformed_response"},
		"results null":  {fault.Status(200, `{"results":null,"has_more":false}`), "notion_malformed_response"},
		"has_more gone": {fault.Replace(`"has_more"`, `"more"`), "notion_malformed_response"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace()
			w.pages(3)
			w.AddDatabase("", "Tasks", nil)
			good := w.Collect(t)
			w.Faults.Add(fault.Rule{Match: searching("data_source"), Fault: c.fault})
			w.AddPage("new", nil)
			w.Pass(25 * time.Hour)
			res := good.SecondRun(t, nil)
			if res.Done.Status != abi.DoneFailed || res.Done.Error.Code != "stream_collection_failed" || !res.Done.Error.Retryable {
				t.Fatalf("%+v %+v, want Done.Status = %v, Done.Error.Code = stream_collection_failed and Done.Error.Retryable", res.Done, res.Done.Error, abi.DoneFailed)
			}
			if trial.Skips(res) != "databases stream_collection_failed" || !strings.Contains(string(res.Skips[0].Diagnostics), c.code) {
				t.Errorf("%s %s, want trial.Skips(res) = databases stream_collection_failed and %v in res.Skips[0].Diagnostics", trial.Skips(res), res.Skips[0].Diagnostics, c.code)
			}
			if titles(res, streamPages) != "new" || len(deleted(res)) != 0 {
				t.Errorf("pages %s, deleted %v, want titles(res, streamPages) = new and len(deleted(res)) = 0", titles(res, streamPages), deleted(res))
			}
			// Failed objects are caught up with, and the others are not repeated.
			w.AddDatabase("", "More", nil)
			next := w.Again(t, res)
			if titles(next, streamDatabases) != "More" || len(records(next, streamPages)) != 0 {
				t.Errorf("next run: %s; %s, want titles(next, streamDatabases) = More and len(records(next, streamPages)) = 0", titles(next, streamDatabases), titles(next, streamPages))
			}
		})
	}
}

func TestAuthFailed(t *testing.T) {
	t.Parallel()
	for after := range 4 {
		w := newWorkspace()
		w.pages(250)
		w.Faults.Add(fault.Rule{After: after, Times: -1, Fault: fault.Status(401, `{"object":"error","status":401,"code":"unauthorized"}`)})
		res := w.Failing(t)
		e := res.Done.Error
		if e == nil || e.Code != "notion_auth_failed" || string(e.RecoveryHint) != `"refresh_credentials"` || e.Retryable || w.Faults.Fired() != 1 {
			t.Fatalf("%+v after %d, want e not nil, e.Code = notion_auth_failed, e.RecoveryHint = %s, not e.Retryable and Faults.Fired() = 1", e, after, `"refresh_credentials"`)
		}
		w.Faults.Clear()
		if next := w.Again(t, res); len(records(res, streamPages))+len(records(next, streamPages)) != 250 {
			t.Errorf("%d and %d pages, want 250 together", len(records(res, streamPages)), len(records(next, streamPages)))
		}
	}
}

// A cursor that comes twice, or is missing, is an error, not the end of the list.
func TestCursorFaults(t *testing.T) {
	t.Parallel()
	for code, f := range map[string]notion.Faults{
		"notion_cursor_repeated":    {RepeatCursor: true, ShortPages: 2},
		"notion_malformed_response": {MissingCursor: true, ShortPages: 2},
	} {
		w := newWorkspace()
		w.pages(5)
		good := w.Collect(t)
		w.Misbehave(f)
		w.Forget()
		w.Pass(25 * time.Hour)
		res := good.SecondRun(t, nil)
		if len(deleted(res)) != 0 || len(w.Requests()) > 6 || !strings.Contains(string(res.Skips[0].Diagnostics), code) {
			t.Errorf("%s: deleted %v, requests %s, want no deletion, at most 6 requests and a report of the code", code, deleted(res), w.paths())
		}
		w.Misbehave(notion.Faults{})
		if next := w.Again(t, res); len(next.Changes()) != 0 {
			t.Errorf("%s: next run emitted %d, want 0", code, len(next.Changes()))
		}
	}
}

// When the API no longer knows an earlier run's cursor, the walk begins at the top.
func TestForgottenCursor(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	w.pages(250)
	w.Faults.Add(fault.Rule{Match: searching("page"), After: 2, Fault: fault.Throttle("")})
	res := w.Failing(t)
	w.Faults.Add(fault.Rule{Match: searching("page"), Fault: fault.Status(400, `{"object":"error","code":"validation_error"}`)})
	if next := w.Again(t, res); len(records(next, streamPages)) != 50 {
		t.Errorf("%d pages, want 50", len(records(next, streamPages)))
	}
}

// An object that search does not list need not be deleted.
func TestIncompleteSearch(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(5)
	res := w.Collect(t)
	w.Trash(ids[0])
	w.Misbehave(notion.Faults{Incomplete: true})
	w.Pass(25 * time.Hour)
	res = w.Again(t, res)
	if len(deleted(res)) != 0 || trial.Skips(res) != "databases notion_search_incomplete,pages notion_search_incomplete" {
		t.Errorf("%v %s, want len(deleted(res)) = 0 and trial.Skips(res) = databases notion_search_incomplete,pages notion_search_incomplete", deleted(res), trial.Skips(res))
	}
	w.Misbehave(notion.Faults{})
	w.Pass(25 * time.Hour)
	if res = w.Again(t, res); len(deleted(res)) != 1 {
		t.Errorf("%v, want len(deleted(res)) = 1", deleted(res))
	}
}

// A missing object that cannot be looked up stays, and is looked up again.
func TestUnconfirmedRemoval(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(5)
	res := w.Collect(t)
	w.Trash(ids[0])
	w.Trash(ids[1])
	w.Pass(25 * time.Hour)
	w.Faults.Add(fault.Rule{Match: fault.Path("/v1/pages/" + ids[0]), Fault: fault.Status(502, "")})
	res = w.Again(t, res)
	if got := deleted(res); len(got) != 1 || got[0] != ids[1] || trial.Skips(res) != "pages notion_removals_unconfirmed" {
		t.Fatalf("%v %s, want len(got) = 1, got[0] = ids[1] and trial.Skips(res) = pages notion_removals_unconfirmed", got, trial.Skips(res))
	}
	if res = w.Again(t, res); len(deleted(res)) != 1 || deleted(res)[0] != ids[0] {
		t.Errorf("%v, want len(deleted(res)) = 1 and deleted(res)[0] = ids[0]", deleted(res))
	}
	// An object that may not be looked up is kept and reported. Its owner can do
	// nothing about it (HL-29.1).
	w.Hide(ids[2])
	w.Pass(25 * time.Hour)
	w.Faults.Add(fault.Rule{Match: fault.Path("/v1/pages/"), Fault: fault.Status(403, "")})
	if res = w.Again(t, res); len(deleted(res)) != 0 || trial.Skips(res) != "pages notion_lookup_refused" ||
		string(res.Skips[0].RecoveryHint) != `"not_retriable"` {
		t.Errorf("%v %+v, want len(deleted(res)) = 0, trial.Skips(res) = pages notion_lookup_refused and res.Skips[0].RecoveryHint = %s", deleted(res), res.Skips, `"not_retriable"`)
	}
}

// When more objects are missing than one run looks up, the next runs look up the rest,
// and not the same ones again and again.
func TestManyMissing(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(600)
	res := w.Again(t, w.Collect(t))
	trashed := 0
	for i, id := range ids {
		if i%6 > 0 {
			w.Hide(id) // there, but never listed: more than one run asks for
			continue
		}
		w.Trash(id)
		trashed++
	}
	gone := make(map[string]bool)
	for range 3 {
		w.Pass(25 * time.Hour)
		res = w.Again(t, res)
		for _, id := range deleted(res) {
			gone[id] = true
		}
		if n := strings.Count(w.paths(), "GET /pages/"); n > 400 {
			t.Fatalf("%d requests in one run", n)
		}
	}
	if len(gone) != trashed {
		t.Errorf("%d removals found, want %d", len(gone), trashed)
	}
}

// A run deletes the objects that it asked for and that are not found, and the next one goes on with the rest.
func TestManyNotFound(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(500)
	res := w.Again(t, w.Collect(t))
	for _, id := range ids[:450] {
		w.Unshare(id)
	}
	gone := 0
	for _, want := range []int{400, 450} {
		w.Pass(25 * time.Hour)
		res = w.Again(t, res)
		if gone += len(deleted(res)); gone != want {
			t.Fatalf("%d pages are deleted, want %d", gone, want)
		}
	}
	if got := trial.Skips(res); got != "" {
		t.Errorf("at the end: got %s, want that nothing is unconfirmed", got)
	}
}

// A value that does not fit the schema is reported each time its object is met, so that
// its gap does not vanish with the run.
func TestDriftIsToldAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(3)
	w.Override(ids[1], "created_time", "yesterday") // a string, but no time
	res := w.Run(t)
	for range 2 {
		res = w.Again(t, res)
		if got := trial.Skips(res); got != "pages field_type_changed" || string(res.Skips[0].Diagnostics) != `{"count":1,"fields":["created_time"]}` {
			t.Fatalf("reported %s %+v, want one value of created_time", got, res.Skips)
		}
	}
	w.Override(ids[1], "created_time", nil)
	if res = w.Again(t, res); trial.Skips(res) != "" || titles(res, streamPages) != "Page 1" {
		t.Errorf("reported %s, changed %s, want no report and the page with its time", trial.Skips(res), titles(res, streamPages))
	}
}

// Answers that no document describes are passed on, so that the host reports
// them, and they are emitted again as soon as they fit.
func TestSchemaDrift(t *testing.T) {
	t.Parallel()
	for member, value := range map[string]any{
		"url": 5, "archived": "no", "created_time": "yesterday", "properties": []any{}, "icon": map[string]any{"type": "hologram"},
		"parent": "workspace", "last_edited_time": nil, "created_by": []any{1},
	} {
		t.Run(member, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace()
			ids := w.pages(3)
			w.Override(ids[1], member, value)
			res := w.Run(t, func(o *sdktest.Options) { o.Tolerate = true })
			if len(res.Changes()) != 3 && len(res.Problems) == 0 {
				t.Fatalf("a page was lost without a report: %+v", res.Skips)
			}
			w.Override(ids[1], member, nil)
			next := res.SecondRun(t, nil)
			_, early := res.Record(streamPages, ids[1])
			if _, ok := next.Record(streamPages, ids[1]); !ok && !early {
				t.Error("the page was not emitted when it fitted")
			}
		})
	}
}

func TestUnreadableResults(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(4)
	w.Override(ids[0], "id", 7)
	w.Override(ids[1], "object", "canvas")
	w.Override(ids[2], "id", "../users")
	w.SetProperty(ids[3], "New", map[string]any{"id": "q", "type": "hologram", "hologram": 1})
	w.SetProperty(ids[3], "Deep", map[string]any{"id": "q", "type": "number", "number": []any{[]any{1}}})
	res := w.Collect(t)
	if trial.Skips(res) != "pages notion_result_unreadable,pages notion_property_unknown" || string(res.Skips[0].Diagnostics) != `{"count":3}` ||
		string(res.Skips[1].Diagnostics) != `{"count":2,"types":["(nested)","hologram"]}` {
		t.Errorf("reported %s with %s and %s, want 3 unreadable results and 2 unknown properties", trial.Skips(res), res.Skips[0].Diagnostics, res.Skips[len(res.Skips)-1].Diagnostics)
	}
	if len(records(res, streamPages)) != 1 {
		t.Errorf("%d pages, want 1", len(records(res, streamPages)))
	}
	// A page without a value was collected whole as far as anyone can tell. For a page
	// with an unknown value, a newer connector may do better (HL-05.1).
	if string(res.Skips[0].RecoveryHint) != `"retry_on_connector_upgrade"` || string(res.Skips[1].RecoveryHint) != `"not_retriable"` {
		t.Errorf("hints %s and %s, want retry_on_connector_upgrade and not_retriable", res.Skips[0].RecoveryHint, res.Skips[1].RecoveryHint)
	}
}

// A clock or a time ahead of it must not hide later edits.
func TestTimeAhead(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(3)
	w.Misbehave(notion.Faults{ShortPages: 1})
	w.Override(ids[2], "last_edited_time", "2099-01-01T00:00:00.000Z")
	res := w.Again(t, w.Collect(t))
	w.Pass(2 * time.Hour)
	w.Edit(ids[1], "edited")
	w.Edit(ids[0], "edited")
	if res = w.Again(t, res); titles(res, streamPages) != "edited,edited" {
		t.Errorf("%v, want edited,edited", titles(res, streamPages))
	}
}

// A cursor of another version, such as the one with a list of the objects, costs a walk
// through everything that changes nothing, and it finds what is gone.
func TestForeignCursor(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(3)
	res := w.Collect(t)
	w.Trash(ids[0])
	state := res.Committed()
	state[streamPages] = `{"v":1,"high_ms":1767323225000,"inventory_ms":1767323225000,"round":1,"known":{"` + ids[0] + `":"1abcdefgh"}}`
	next := res.SecondRun(t, func(o *sdktest.Options) { o.State = state })
	if emitted(next) != "Page 1,Page 2" || titles(next, streamPages) != "" || len(deleted(next)) != 1 {
		t.Errorf("emitted %s, changed %s, deleted %v, want two pages emitted, none changed and one deleted", emitted(next), titles(next, streamPages), deleted(next))
	}
}

// People work while pages of results are read: nothing is missed for longer than until
// the next run, however the API's cursors work.
func TestWorkspaceMovesWhileItIsRead(t *testing.T) {
	t.Parallel()
	for _, offsets := range []bool{false, true} {
		for at := 2; at < 9; at++ {
			t.Run(fmt.Sprint(offsets, at), func(t *testing.T) {
				t.Parallel()
				w := newWorkspace()
				w.Misbehave(notion.Faults{Offsets: offsets, ShortPages: 10})
				ids := w.pages(60)
				w.Before(func(n int, _ *http.Request) {
					if n != at {
						return
					}
					for i, id := range ids {
						switch i % 7 {
						case 0:
							w.Trash(id)
						case 1:
							w.Edit(id, "edited "+id)
						}
					}
					w.AddPage("new", nil)
				})
				stored := sdktest.Store{}
				res := w.Collect(t)
				stored.Apply(res)
				w.Before(nil)
				for range 2 {
					w.Pass(25 * time.Hour)
					res = w.Again(t, res)
					stored.Apply(res)
				}
				want := newStore(t, w)
				if stored.Differs(want) != "" {
					t.Errorf("%d records stored, %d are there", stored.Len(), want.Len())
				}
			})
		}
	}
}

// newStore is the result of a run without earlier state.
func newStore(t *testing.T, w *workspace) sdktest.Store {
	t.Helper()
	s := sdktest.Store{}
	s.Apply(w.Collect(t))
	return s
}

// PB-D8: ended at any call, the runs together lose nothing and repeat nothing.
func TestStoppedAnywhere(t *testing.T) {
	t.Parallel()
	for stop := 1; stop < 31; stop++ {
		w := newWorkspace()
		w.Misbehave(notion.Faults{ShortPages: 10})
		ids := w.pages(45)
		w.AddDatabase("", "Tasks", nil)
		stored := sdktest.Store{}
		res, count := trial.ToTheEnd(t, w.Failing(t, trial.StopAfter(stop)), stop, stored, func() {
			w.Trash(ids[0])
			w.Pass(time.Minute)
		})
		w.Pass(25 * time.Hour)
		last := w.Again(t, res)
		stored.Apply(last)
		if want := newStore(t, w); stored.Differs(want) != "" || count > 46+2 {
			t.Errorf("stop %d: %d stored, want %d; %d records emitted", stop, stored.Len(), want.Len(), count)
		}
	}
}

// A run that is killed silently at any call loses nothing either.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	for kill := 1; kill < 14; kill++ {
		w := newWorkspace()
		w.Misbehave(notion.Faults{ShortPages: 10})
		w.pages(45)
		res := w.Failing(t, trial.Killed(kill))
		stored := sdktest.Store{}
		stored.Apply(res)
		res = res.SecondRun(t, trial.Unkilled)
		stored.Apply(res)
		if want := newStore(t, w); stored.Differs(want) != "" {
			t.Errorf("killed at call %d: %d stored, want %d", kill, stored.Len(), want.Len())
		}
	}
}
