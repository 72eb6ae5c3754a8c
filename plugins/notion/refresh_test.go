package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
)

func fullRefresh(o *sdktest.Options) { o.Mode = abi.ModeFullRefresh }

func incremental(o *sdktest.Options) { o.Mode = abi.ModeIncremental }

// refresh does a full refresh after a run.
func (w *workspace) refresh(t *testing.T, res *sdktest.Result) *sdktest.Result {
	t.Helper()
	w.Forget()
	next := res.SecondRun(t, fullRefresh)
	conform(t, next)
	return next
}

// after does the incremental run after a full refresh.
func (w *workspace) after(t *testing.T, res *sdktest.Result) *sdktest.Result {
	t.Helper()
	w.Forget()
	next := res.SecondRun(t, incremental)
	succeeded(t, next)
	return next
}

// live lists the records of a run, without its tombstones.
func live(res *sdktest.Result) []string {
	var list []string
	for _, r := range res.All {
		if !r.Delete {
			list = append(list, r.Stream+" "+r.Key+" "+string(r.Data))
		}
	}
	return list
}

// known lists the ids that a committed cursor holds.
func known(t *testing.T, res *sdktest.Result, stream string) []string {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(res.Committed()[stream]))
	if err != nil {
		t.Fatal(err)
	}
	return readLedger(v).ids()
}

// RT-07.1: a full refresh emits everything again and buries what is gone, by
// the same proof as any other run; what search merely does not list is emitted.
func TestFullRefreshBuries(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	ids := w.pages(6)
	db, kept := w.AddDatabase("", "Tasks", nil), w.AddDatabase("", "Kept", nil)
	stored := sdktest.Store{}
	res := w.again(t, w.collect(t))
	stored.Apply(w.collect(t))
	w.Trash(ids[0])
	w.Unshare(ids[1])
	w.Hide(ids[2])
	w.Trash(db)
	res = w.refresh(t, res)
	succeeded(t, res)
	stored.Apply(res)
	got, want := deleted(res), []string{ids[0], ids[1], db}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("deleted %v, want %v", got, want)
	}
	if titles(res, streamPages) != "Page 2,Page 3,Page 4,Page 5" || strings.Join(res.Keys(streamDatabases), ",") != kept {
		t.Errorf("emitted %s; %s", titles(res, streamPages), titles(res, streamDatabases))
	}
	if n := strings.Count(w.paths(), "GET /pages/") + strings.Count(w.paths(), "GET /databases/"); n != 4 {
		t.Errorf("asked for %d objects by id", n)
	}
	w.Show(ids[2])
	if want := newStore(t, w); stored.Differs(want) != "" {
		t.Errorf("stored %v, there are %v", stored, want)
	}
	w.pass(25 * time.Hour)
	if res = w.after(t, res); len(res.All) != 0 {
		t.Errorf("the next run emitted %s, deleted %v", titles(res, streamPages), deleted(res))
	}
}

// Without cursors of before, and with such that nothing is gone from, a full
// refresh says what a first run says.
func TestFullRefreshIsAFirstRun(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	w.pages(130)
	w.AddDatabase("", "Tasks", nil)
	first := w.collect(t)
	if fresh := w.collect(t, fullRefresh); !slices.Equal(fresh.Calls, first.Calls) {
		t.Error("the calls without a cursor differ")
	}
	again := w.refresh(t, first)
	if !slices.Equal(live(again), live(first)) || len(deleted(again)) != 0 || strings.Contains(w.paths(), "GET /pages") {
		t.Errorf("%d records of %d, deleted %v, %s", len(live(again)), len(live(first)), deleted(again), w.paths())
	}
	// Nor does what the cursor does not hold become a tombstone.
	gone := w.AddPage("never collected", nil)
	w.Trash(gone)
	if again = w.refresh(t, again); len(deleted(again)) != 0 {
		t.Error(deleted(again))
	}
}

// A full refresh that does not see everything buries nothing; what it could not
// judge stays in the cursor, and a later run buries it.
func TestPartialFullRefresh(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil  func(w *workspace, id string)
		mend   func(w *workspace)
		status string
	}{
		"search incomplete": {
			func(w *workspace, _ string) { w.Misbehave(notion.Faults{Incomplete: true, ShortPages: 10}) },
			func(w *workspace) { w.Misbehave(notion.Faults{}); w.pass(25 * time.Hour) }, abi.DoneSucceeded,
		},
		"second page of results fails": {
			func(w *workspace, _ string) {
				w.faults.Add(fault.Rule{Match: searching("page"), After: 1, Times: -1, Fault: fault.Status(500, "")})
			},
			func(w *workspace) { w.faults.Clear() }, abi.DoneFailed,
		},
		"first page of results fails": {
			func(w *workspace, _ string) {
				w.faults.Add(fault.Rule{Match: searching("page"), Times: -1, Fault: fault.BrokenJSON()})
			},
			func(w *workspace) { w.faults.Clear() }, abi.DoneFailed,
		},
		"refused": {
			func(w *workspace, _ string) {
				w.faults.Add(fault.Rule{Match: searching("page"), After: 2, Times: -1, Fault: fault.Throttle("7")})
			},
			func(w *workspace) { w.faults.Clear() }, abi.DoneFailed,
		},
		"cannot be asked for": {
			func(w *workspace, id string) {
				w.faults.Add(fault.Rule{Match: fault.Path("/v1/pages/" + id), Fault: fault.Status(502, "")})
			},
			func(*workspace) {}, abi.DoneSucceeded,
		},
		"may not be asked for": {
			func(w *workspace, id string) {
				w.faults.Add(fault.Rule{Match: fault.Path("/v1/pages/" + id), Fault: fault.Status(403, "")})
			},
			func(w *workspace) { w.pass(25 * time.Hour) }, abi.DoneSucceeded,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace()
			w.Misbehave(notion.Faults{ShortPages: 10})
			ids := w.pages(45)
			stored := sdktest.Store{}
			res := w.collect(t)
			stored.Apply(res)
			res = w.again(t, res)
			w.Trash(ids[7])
			c.spoil(w, ids[7])
			res = w.refresh(t, res)
			stored.Apply(res)
			if res.Done.Status != c.status || len(deleted(res)) != 0 {
				t.Fatalf("%+v, deleted %v", res.Done, deleted(res))
			}
			if !slices.Contains(known(t, res, streamPages), ids[7]) || len(known(t, res, streamPages)) != 45 {
				t.Errorf("%d pages are remembered", len(known(t, res, streamPages)))
			}
			again := len(res.Records(streamPages))
			c.mend(w)
			res = w.after(t, res)
			stored.Apply(res)
			if !slices.Equal(deleted(res), ids[7:8]) || again+len(res.Records(streamPages)) != 44 {
				t.Errorf("deleted %v, emitted %d and %d", deleted(res), again, len(res.Records(streamPages)))
			}
			w.Misbehave(notion.Faults{})
			if want := newStore(t, w); stored.Differs(want) != "" {
				t.Errorf("%d stored, %d are there", stored.Len(), want.Len())
			}
		})
	}
}

// A cursor of another version, and one whose walk never ended, name what is
// gone as well.
func TestFullRefreshFromOtherLedgers(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(string) string{
		"version": func(s string) string { return strings.Replace(s, `"v":1`, `"v":0`, 1) },
		"walk": func(s string) string {
			return strings.Replace(s, `"known"`, `"walk":{"full":true,"cursor":"old","top_ms":9,"floor_ms":9,"surprise":true},"known"`, 1)
		},
		"met by the coming round": func(s string) string { return strings.Replace(s, `"round":1`, `"round":0`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace()
			ids := w.pages(3)
			res := w.collect(t)
			w.Trash(ids[0])
			state := res.Committed()
			was := state[streamPages]
			if state[streamPages] = change(was); was == state[streamPages] {
				t.Fatal(was)
			}
			next := res.SecondRun(t, func(o *sdktest.Options) { fullRefresh(o); o.State = state })
			succeeded(t, next)
			if got := fmt.Sprint(deleted(next)); got != fmt.Sprint(ids[:1]) || len(next.Records(streamPages)) != 2 {
				t.Errorf("emitted %s, deleted %s", titles(next, streamPages), got)
			}
		})
	}
}

// PB-D8: a full refresh that is ended at any call, and the runs after it, lose
// nothing, bury what is gone and nothing else.
func TestFullRefreshStoppedAnywhere(t *testing.T) {
	t.Parallel()
	for stop := 1; stop < 25; stop++ {
		w := newWorkspace()
		w.Misbehave(notion.Faults{ShortPages: 10})
		ids := w.pages(45)
		stored := sdktest.Store{}
		res := w.collect(t)
		stored.Apply(res)
		res = w.again(t, res)
		w.Trash(ids[0])
		w.Trash(ids[44])
		res = res.SecondRun(t, func(o *sdktest.Options) { fullRefresh(o); o.StopAfter = stop })
		stored.Apply(res)
		w.pass(25 * time.Hour)
		res = w.after(t, res)
		stored.Apply(res)
		if want := newStore(t, w); stored.Differs(want) != "" {
			t.Errorf("stop %d: %d stored, want %d", stop, stored.Len(), want.Len())
		}
	}
}
