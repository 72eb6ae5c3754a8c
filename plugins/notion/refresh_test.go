package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// RT-07.1: a full refresh emits everything again and buries deleted objects, by the
// same proof as any other run; objects that search merely fails to list are emitted.
func TestFullRefreshBuries(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(6)
	db, kept := w.AddDatabase("", "Tasks", nil), w.AddDatabase("", "Kept", nil)
	stored := sdktest.Store{}
	res := w.Again(t, w.Collect(t))
	stored.Apply(w.Collect(t))
	w.Trash(ids[0])
	w.Unshare(ids[1])
	w.Hide(ids[2])
	w.Trash(db)
	res = w.Refresh(t, res)
	schemas.Succeeded(t, res)
	stored.Apply(res)
	got, want := deleted(res), []string{ids[0], ids[1], db}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("deleted %v, want %v", got, want)
	}
	if emitted(res) != "Page 2,Page 3,Page 4,Page 5" || strings.Join(res.Keys(streamDatabases), ",") != kept {
		t.Errorf("emitted %s; %s, want pages 2 to 5 and databases %v", emitted(res), titles(res, streamDatabases), kept)
	}
	if n := strings.Count(w.paths(), "GET /pages/") + strings.Count(w.paths(), "GET /data_sources/"); n != 4 {
		t.Errorf("asked for %d objects by id, want 4", n)
	}
	w.Show(ids[2])
	if want := newStore(t, w); stored.Differs(want) != "" {
		t.Errorf("stored %v, there are %v, want stored.Differs(want) = \"\"", stored, want)
	}
	w.Pass(25 * time.Hour)
	if res = w.After(t, res); len(res.Changes()) != 0 {
		t.Errorf("the next run emitted %s, deleted %v, want len(res.Changes()) = 0", titles(res, streamPages), deleted(res))
	}
}

// Without earlier cursors, or when no object of them was deleted, a full refresh emits
// the same as a first run.
func TestFullRefreshIsAFirstRun(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	w.pages(130)
	w.AddDatabase("", "Tasks", nil)
	first := w.Collect(t)
	if fresh := w.Collect(t, trial.FullRefresh); !slices.Equal(fresh.Calls, first.Calls) {
		t.Error("the calls without a cursor differ")
	}
	again := w.Refresh(t, first)
	if !slices.Equal(trial.Live(again), trial.Live(first)) || len(deleted(again)) != 0 || strings.Contains(w.paths(), "GET /pages") {
		t.Errorf("%d records, want %d; deleted %v, requests %s, want no deletion and no look-up", len(trial.Live(again)), len(trial.Live(first)), deleted(again), w.paths())
	}
	// Objects that the cursor does not remember become no tombstones either.
	gone := w.AddPage("never collected", nil)
	w.Trash(gone)
	if again = w.Refresh(t, again); len(deleted(again)) != 0 {
		t.Errorf("%v, want len(deleted(again)) = 0", deleted(again))
	}
}

// A full refresh that does not see everything buries nothing. The objects that it could
// not judge stay in the cursor, and a later run buries them.
func TestPartialFullRefresh(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil  func(w *workspace, id string)
		mend   func(w *workspace)
		status string
	}{
		"search incomplete": {
			func(w *workspace, _ string) { w.Misbehave(notion.Faults{Incomplete: true, ShortPages: 10}) },
			func(w *workspace) { w.Misbehave(notion.Faults{}); w.Pass(25 * time.Hour) }, abi.DoneSucceeded,
		},
		"second page of results fails": {
			func(w *workspace, _ string) {
				w.Faults.Add(fault.Rule{Match: searching("page"), After: 1, Times: -1, Fault: fault.Status(500, "")})
			},
			func(w *workspace) { w.Faults.Clear() }, abi.DoneFailed,
		},
		"first page of results fails": {
			func(w *workspace, _ string) {
				w.Faults.Add(fault.Rule{Match: searching("page"), Times: -1, Fault: fault.BrokenJSON()})
			},
			func(w *workspace) { w.Faults.Clear() }, abi.DoneFailed,
		},
		"refused": {
			func(w *workspace, _ string) {
				w.Faults.Add(fault.Rule{Match: searching("page"), After: 2, Times: -1, Fault: fault.Throttle("7")})
			},
			func(w *workspace) { w.Faults.Clear() }, abi.DoneFailed,
		},
		"cannot be asked for": {
			func(w *workspace, id string) {
				w.Faults.Add(fault.Rule{Match: fault.Path("/v1/pages/" + id), Fault: fault.Status(502, "")})
			},
			func(*workspace) {}, abi.DoneSucceeded,
		},
		"may not be asked for": {
			func(w *workspace, id string) {
				w.Faults.Add(fault.Rule{Match: fault.Path("/v1/pages/" + id), Fault: fault.Status(403, "")})
			},
			func(w *workspace) { w.Pass(25 * time.Hour) }, abi.DoneSucceeded,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace()
			w.Misbehave(notion.Faults{ShortPages: 10})
			ids := w.pages(45)
			stored := sdktest.Store{}
			res := w.Collect(t)
			stored.Apply(res)
			res = w.Again(t, res)
			w.Trash(ids[7])
			c.spoil(w, ids[7])
			res = w.Refresh(t, res)
			stored.Apply(res)
			if res.Done.Status != c.status || len(deleted(res)) != 0 {
				t.Fatalf("%+v, deleted %v, want Done.Status = %v and len(deleted(res)) = 0", res.Done, deleted(res), c.status)
			}
			if _, there := stored[streamPages][ids[7]]; !there || stored.Len() != 45 {
				t.Errorf("%d pages are stored, want 45 and the page in the trash among them", stored.Len())
			}
			refresh := res
			c.mend(w)
			res = w.After(t, res)
			stored.Apply(res)
			if !slices.Equal(deleted(res), ids[7:8]) || strings.Count(emitted(refresh, res), ",") != 43 {
				t.Errorf("deleted %v, emitted %s, want the page in the trash deleted and the 44 others emitted", deleted(res), emitted(refresh, res))
			}
			w.Misbehave(notion.Faults{})
			if want := newStore(t, w); stored.Differs(want) != "" {
				t.Errorf("%d stored, %d are there", stored.Len(), want.Len())
			}
		})
	}
}

// A cursor of another version, or one whose walk never ended, also leads to the deleted
// objects.
func TestFullRefreshFromOtherCursors(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(string) string{
		"version": func(s string) string { return strings.Replace(s, `"v":3`, `"v":0`, 1) },
		"walk": func(s string) string {
			return strings.Replace(s, `"v":3`, `"v":3,"walking":true,"full":true,"begun_by":"another","at":"old","top_ms":9,"floor_ms":9`, 1)
		},
		"version 2": func(s string) string { return strings.Replace(s, `"v":3`, `"v":2`, 1) },
		"version 1": func(string) string { return `{"v":1,"high_ms":9,"inventory_ms":9,"round":1,"known":{"a":"0--------"}}` },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace()
			ids := w.pages(3)
			res := w.Collect(t)
			w.Trash(ids[0])
			state := res.Committed()
			was := state[streamPages]
			if state[streamPages] = change(was); was == state[streamPages] {
				t.Fatalf("%v, want not %v", was, state[streamPages])
			}
			next := res.SecondRun(t, func(o *sdktest.Options) { trial.FullRefresh(o); o.State = state })
			schemas.Succeeded(t, next)
			if got := fmt.Sprint(deleted(next)); got != fmt.Sprint(ids[:1]) || emitted(next) != "Page 1,Page 2" {
				t.Errorf("emitted %s, deleted %s, want the first page deleted and the two others emitted", emitted(next), got)
			}
		})
	}
}

// PB-D8: a full refresh that is ended at any call, and the runs after it, lose nothing,
// and bury the deleted objects and no others.
func TestFullRefreshStoppedAnywhere(t *testing.T) {
	t.Parallel()
	for stop := 1; stop < 25; stop++ {
		w := newWorkspace()
		w.Misbehave(notion.Faults{ShortPages: 10})
		ids := w.pages(45)
		stored := sdktest.Store{}
		res := w.Collect(t)
		stored.Apply(res)
		res = w.Again(t, res)
		w.Trash(ids[0])
		w.Trash(ids[44])
		res = res.SecondRun(t, func(o *sdktest.Options) { trial.FullRefresh(o); o.StopAfter = stop })
		stored.Apply(res)
		w.Pass(25 * time.Hour)
		res = w.After(t, res)
		stored.Apply(res)
		if want := newStore(t, w); stored.Differs(want) != "" {
			t.Errorf("stop %d: %d stored, want %d", stop, stored.Len(), want.Len())
		}
	}
}
