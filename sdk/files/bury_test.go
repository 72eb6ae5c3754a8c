package files_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// twelve are the texts of twelve files, without those that are named.
func twelve(without ...string) []string {
	var texts []string
	for _, name := range strings.Split("abcdefghijkl", "") {
		if !slices.Contains(without, name) {
			texts = append(texts, name+"=x")
		}
	}
	return texts
}

func holdsBack(o *sdktest.Options) { o.HoldsBack = true }

func refreshes(o *sdktest.Options) { o.Mode = abi.ModeFullRefresh }

// unmet returns the keys of the records that a list of the run lacks, of those that the host had before.
func unmet(res *sdktest.Result, before sdktest.Store) string {
	met, whole := map[string]bool{}, false
	for _, e := range res.Enumerations {
		for _, key := range e.Keys {
			met[strings.Trim(string(key), `"`)] = true
		}
		whole = whole || e.Status == abi.EnumerationWhole
	}
	if !whole {
		return "no list"
	}
	for _, r := range res.All {
		met[r.Key] = true
	}
	var keys []string
	for key := range before["notes"] {
		if !met[key] {
			keys = append(keys, strings.TrimPrefix(key, "n:"))
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, "")
}

// AC-09: of twelve files one is left. The set deletes nothing by its key, lists what there is in each
// run until the host has deleted the rest, and forgets it then.
func TestAFolderThatFalls(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, has(true, twelve()...), sdktest.Options{})
	for i := range 3 {
		stored := res.Stored()
		res = next(t, res, has(true, "a=x"), holdsBack)
		if got := did(res); got != "" || unmet(res, stored) != "bcdefghijkl" || len(res.Stored()["notes"]) != 12 {
			t.Errorf("run %d: got %q, %q not met and %d records, want nothing deleted and eleven not met", i, got, unmet(res, stored), len(res.Stored()["notes"]))
		}
	}
	res = next(t, res, has(true, "a=x"), refreshes)
	if got := did(res); !strings.HasPrefix(got, "+n:a ~n:b ") || strings.Count(got, "~") != 11 {
		t.Errorf("got %q with the owner's word, want a emitted and eleven gone", got)
	}
	for i, want := range []string{"", "no list"} {
		stored := res.Stored()
		if res = next(t, res, has(true, "a=x"), nil); did(res) != "" || unmet(res, stored) != want {
			t.Errorf("run %d behind it: got %q and %q, want the host asked once and no more", i, did(res), unmet(res, stored))
		}
	}
	if cursor := res.Committed()["notes"]; strings.Contains(cursor, `"b"`) || !strings.Contains(cursor, `"a"`) {
		t.Errorf("the cursor is %s, want a alone", cursor)
	}
}

// AC-09: a full refresh that finds fewer things leaves the others to the host, too, whether or not the
// host asks, and the set knows of them until they are deleted.
func TestAFullRefreshKnowsWhatIsGone(t *testing.T) {
	t.Parallel()
	first := sdktest.Collect(t, has(true, twelve()...), sdktest.Options{})
	res := next(t, first, has(true, twelve("b")...), func(o *sdktest.Options) { refreshes(o); o.HoldsBack = true })
	if got := unmet(res, first.Stored()); got != "b" || strings.Count(did(res), "+") != 11 {
		t.Errorf("got %q and %q not met, want eleven emitted again and b not met", did(res), got)
	}
	if res = next(t, res, has(true, twelve("b")...), nil); did(res) != "~n:b" {
		t.Errorf("got %q in the run behind it, want b gone", did(res))
	}
	// A thing that could not be looked at is emitted when it can, and not deleted before.
	res = next(t, first, has(false, "a=x"), refreshes)
	if got := did(res); got != "+n:a" {
		t.Errorf("got %q of a folder that was not listed, want a alone", got)
	}
	if res = next(t, res, has(true, "a=x", "b=x"), nil); !strings.HasPrefix(did(res), "+n:b ~n:c") {
		t.Errorf("got %q, want b emitted again and the rest gone", did(res))
	}
}

// AC-09: a thing that the host asks about and that may be there after all is met: it is not deleted
// whatever the owner says. When it can be read, it is emitted once, and the question ends.
func TestWhatIsAskedAboutComesBack(t *testing.T) {
	t.Parallel()
	asked := next(t, sdktest.Collect(t, has(true, twelve()...), sdktest.Options{}), has(true, "a=x"), holdsBack)
	hides := func(name string) notes {
		return func(h *sdk.Host) error {
			s := files.Open(h, "notes", "n:")
			s.Same("a", files.Entry{Stamp: files.Stamp{Size: 1, MTimeMS: 1}})
			s.KeepIf(func(key string) bool { return key == name })
			return s.Close(true)
		}
	}
	hidden := next(t, asked, hides("b"), nil)
	if got := did(hidden); strings.Contains(got, "n:b") || strings.Count(got, "~") != 10 {
		t.Errorf("got %q while b may be there, want the other ten gone", got)
	}
	for name, before := range map[string]*sdktest.Result{"asked": asked, "hidden": hidden} {
		res := next(t, before, has(true, twelve()...), nil)
		if got := did(res); strings.Count(got, "+n:b") != 1 || strings.ContainsAny(got, "~-") || len(res.Stored()["notes"]) != 12 {
			t.Errorf("%s: got %q, want b emitted once and nothing deleted", name, got)
		}
		if res = next(t, res, has(true, twelve()...), nil); did(res) != "" || len(res.Enumerations) != 0 {
			t.Errorf("%s: got %q and %d messages of a list, want neither", name, did(res), len(res.Enumerations))
		}
	}
	// Also an empty file without a time: its record may have been deleted.
	empty := func(h *sdk.Host) error {
		s := files.Open(h, "notes", "n:")
		if s.Same("b", files.Entry{}) || !s.Take("b", files.Entry{}, files.Sum("")) {
			t.Error("b is called unchanged, want it taken")
		}
		return nil
	}
	next(t, asked, empty, nil)
	// The folder cannot be listed at all: nothing is listed and nothing goes.
	if res := next(t, asked, has(false), nil); did(res) != "" || unmet(res, asked.Stored()) != "no list" {
		t.Errorf("got %q and %q, want nothing of a folder that was not listed", did(res), unmet(res, asked.Stored()))
	}
	// Neither of those that could not be looked at while the host has deleted it is lost for good.
	deleted := next(t, next(t, asked, has(true, "a=x"), nil), has(false, "a=x"), nil)
	if res := next(t, deleted, has(true, "a=x", "b=x"), nil); did(res) != "+n:b" {
		t.Errorf("got %q, want b emitted, which the host has deleted", did(res))
	}
}

// AC-09: things that are new do not count as what there was: the list is opened before the first of
// them is emitted.
func TestTheListBeginsBeforeWhatIsNew(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, has(true, twelve()...), sdktest.Options{})
	res = next(t, res, has(true, "m=x", "n=x", "o=x"), nil)
	var order []string
	for _, c := range res.Calls {
		if c.Name == "emit" || c.Name == "enumerate" {
			order = append(order, c.Name)
		}
	}
	if got := strings.Join(order, " "); !strings.HasPrefix(got, "enumerate emit enumerate") {
		t.Errorf("got the calls %s, want the list opened first", got)
	}
}

// A record of the stream that the set does not know stays, and so does one of another prefix.
func TestUnknownRecordsStay(t *testing.T) {
	t.Parallel()
	first := sdktest.Collect(t, notes(func(h *sdk.Host) error {
		r := h.Record("notes")
		for _, id := range []string{"n:other", "m:a", "n", "b"} {
			r.String("id", id)
			if err := r.Emit(); err != nil {
				return err
			}
		}
		return nil
	}), sdktest.Options{})
	res := next(t, next(t, first, has(true, "a=x", "b=x"), nil), has(true, "a=x"), nil)
	if got := did(res); got != "~n:b" {
		t.Errorf("got %q, want b gone alone", got)
	}
	res.Stored().Holds(t, "notes", "b", "m:a", "n", "n:a", "n:other")
}

// AC-09: a host that keeps the keys of what was listed alone, as a collector, learns of what an earlier
// version delivered before any of it is deleted: it goes a run later.
func TestAHostThatKnowsListedKeysAlone(t *testing.T) {
	t.Parallel()
	first := sdktest.Collect(t, has(true, twelve()...), sdktest.Options{})
	stored := first.Stored()
	res := next(t, first, has(true, "a=x"), func(o *sdktest.Options) { o.Stored = sdktest.Store{} })
	if got := unmet(res, stored); got != "" || len(res.Deletes("notes")) != 0 {
		t.Errorf("got %q not met and %d deleted, want every key named", got, len(res.Deletes("notes")))
	}
	if gone := next(t, res, has(true, "a=x"), func(o *sdktest.Options) { o.Stored = sdktest.Store{} }); strings.Contains(gone.Committed()["notes"], `"b"`) {
		t.Errorf("the cursor is %s, want what the host does not have forgotten in the second run", gone.Committed()["notes"])
	}
	res = next(t, res, has(true, "a=x"), func(o *sdktest.Options) { o.Stored = stored })
	if got := unmet(res, stored); got != "bcdefghijkl" {
		t.Errorf("got %q not met, want the eleven", got)
	}
}

// A run that leaves records of the stream out, or the stream, forgets nothing: of such a run the host
// says that nothing is missing.
func TestANarrowedRunForgetsNothing(t *testing.T) {
	t.Parallel()
	first := sdktest.Collect(t, has(true, twelve()...), sdktest.Options{})
	asked := next(t, first, has(true, "a=x"), holdsBack)
	for name, before := range map[string]*sdktest.Result{"first": first, "asked": asked} {
		for what, scope := range map[string]abi.StreamScope{
			"resources": {Name: "notes", Resources: []string{"n:a"}},
			"since":     {Name: "notes", TimeRange: &abi.TimeRange{Since: "2026-01-01T00:00:00Z"}},
			"stream":    {Name: "others"},
		} {
			res := next(t, before, has(true, "a=x"), func(o *sdktest.Options) { o.Scope = []abi.StreamScope{scope} })
			if did(res) != "" || len(res.Enumerations) != 0 {
				t.Errorf("%s, %s: got %q and %d messages of a list, want neither", name, what, did(res), len(res.Enumerations))
			}
			if last := next(t, res, has(true, "a=x"), nil); strings.Count(did(last), "~") != 11 {
				t.Errorf("%s, %s: got %q in the run behind it, want eleven gone", name, what, did(last))
			}
		}
	}
}

// Rows of coverage are words of the connector's own: those that are true no more go by their keys.
func TestRowsGoByTheirKeys(t *testing.T) {
	t.Parallel()
	rows := func(names ...string) notes {
		return func(h *sdk.Host) error {
			s := files.OpenRows(h, "notes")
			for _, name := range names {
				if !s.News(name, files.Sum(name)) {
					continue
				}
				r := h.Record("notes")
				r.String("id", name)
				if err := r.Emit(); err != nil {
					return err
				}
			}
			return s.Close(true)
		}
	}
	first := sdktest.Collect(t, rows("a", "b", "c", "d", "e", "f"), sdktest.Options{})
	res := next(t, first, rows("a", "new"), nil)
	if got := did(res); got != "+new -b -c -d -e -f" || len(res.Enumerations) != 0 {
		t.Errorf("got %q and %d messages of a list, want the five deleted", got, len(res.Enumerations))
	}
	if res = next(t, first, rows("a"), refreshes); did(res) != "+a -b -c -d -e -f" {
		t.Errorf("got %q in a full refresh, want the five deleted", did(res))
	}
}
