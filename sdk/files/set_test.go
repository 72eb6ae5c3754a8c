package files_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// notes is a connector of one stream whose Collect is a function.
type notes func(h *sdk.Host) error

func (notes) Manifest() string {
	return `{"connector_key":"notes","streams":[{"name":"notes","primary_key":["id"],"semantics":"mutable_state"},{"name":"others","primary_key":["id"],"semantics":"mutable_state"}]}`
}

func (c notes) Collect(h *sdk.Host) error { return c(h) }

// has is a folder as a connector sees it: the text of each file by its name.
func has(whole bool, texts ...string) notes {
	return func(h *sdk.Host) error {
		s := files.Open(h, "notes", "n:")
		for _, one := range texts {
			name, text, _ := strings.Cut(one, "=")
			e := files.Entry{Stamp: files.Stamp{Size: int64(len(text)), MTimeMS: int64(len(texts))}}
			if s.Same(name, e) || !s.Take(name, e, files.Sum(text)) {
				continue
			}
			r := h.Record("notes")
			r.String("id", "n:"+name)
			if err := r.Emit(); err != nil {
				return err
			}
		}
		return s.Close(whole)
	}
}

// did names what a run emitted (+), deleted by its key (-), and, unless it moved, lost because the host met it no more (~).
func did(res *sdktest.Result) string {
	var all []string
	byKey := map[string]bool{}
	for _, r := range res.All {
		mark := "+"
		if byKey[r.Key] = r.Delete; r.Delete {
			mark = "-"
		}
		byKey[r.MovedFrom] = true
		all = append(all, mark+r.Key)
	}
	for _, r := range res.Changes() {
		if r.Delete && !byKey[r.Key] {
			all = append(all, "~"+r.Key)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// next runs another connector on what a run left.
func next(t *testing.T, before *sdktest.Result, now notes, change func(o *sdktest.Options)) *sdktest.Result {
	t.Helper()
	o := before.Followed(sdktest.Options{State: before.Committed(), Stored: before.Stored()})
	if change != nil {
		change(&o)
	}
	return sdktest.Collect(t, now, o)
}

func TestSet(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, has(true, "a=x", "b=y"), sdktest.Options{})
	for i, c := range []struct {
		now           notes
		want          string
		states, lists int
	}{
		{has(true, "a=x", "b=y"), "", 0, 0},             // nothing was touched
		{has(true, "a=x", "b=y", "c=z"), "+n:c", 1, 1},  // all were touched
		{has(true, "a=x", "b=yy", "c=z"), "+n:b", 1, 0}, // one has changed
		{has(false, "a=x"), "", 1, 0},                   // the folder could not be listed
		{has(true, "a=x", "c=z"), "~n:b", 1, 1},         // one is gone
		{has(true, "a=x", "c=z"), "", 1, 1},             // and the host has deleted it
		{has(true, "a=x", "c=z"), "", 0, 0},             // which the set knows now
		{has(true, "a=x", "b=yy", "c=z"), "+n:b", 1, 1}, // it is back
		{has(true), "~n:a ~n:b ~n:c", 1, 1},             // all are gone
		{has(true, "a=x"), "+n:a", 1, 1},                // one is back before that is known
		{has(true, "a=x"), "", 0, 0},
	} {
		res = next(t, res, c.now, nil)
		lists := 0
		for _, e := range res.Enumerations {
			if e.Status == abi.EnumerationWhole {
				lists++
			}
		}
		if got := did(res); got != c.want || len(res.States) != c.states || lists != c.lists {
			t.Errorf("step %d: got %q, %d cursors and %d lists, want %q, %d and %d", i, got, len(res.States), lists, c.want, c.states, c.lists)
		}
	}
}

// The cursors of earlier versions are read: nothing that they know of is forgotten, and what
// has no sum of this kind is emitted once more.
func TestEarlierCursors(t *testing.T) {
	t.Parallel()
	sum := fmt.Sprint(files.Sum("x"))
	first := sdktest.Collect(t, has(true, "a=x", "old=y"), sdktest.Options{})
	for cursor, want := range map[string]string{
		`{"v":1,"items":{"a":` + sum + `,"old":7}}`:               "~n:old",
		`{"files":{"a":[1,1,"0123456789abcdef"],"old":[1,2,""]}}`: "~n:old",
		`{"files":{"a":[1,9,"0123456789abcdef"]}}`:                "+n:a",
		`{"entries":{"a":"file","old":"directory"}}`:              "+n:a ~n:old",
		`{"rows":{"a":"0123456789abcdef"}}`:                       "+n:a",
		`{"items":[1]}`:                                           "+n:a",
		`{}`:                                                      "+n:a",
	} {
		res := next(t, first, has(true, "a=x"), func(o *sdktest.Options) { o.State = map[string]string{"notes": cursor} })
		if got := did(res); got != want {
			t.Errorf("%s: got %q, want %q", cursor, got, want)
		}
	}
}

// Read reads what Append has written.
func FuzzSet(f *testing.F) {
	f.Add(`{"a":5,"b":[1,2,3],"c":"x","d":null,"e":false}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil {
			return
		}
		var one, two files.Set
		one.Read(v)
		once := one.Append(nil)
		w, err := jsonvalue.Parse(once)
		if err != nil {
			t.Fatalf("%s: %v, want JSON", once, err)
		}
		two.Read(w)
		if again := two.Append(nil); string(again) != string(once) {
			t.Errorf("got %s, want %s", again, once)
		}
	})
}

// A record that an earlier reader has under another key moves, and nothing is listed for it.
func TestMovedKeys(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e", "f"}
	keyed := func(version int64, suffix string, names ...string) notes {
		return func(h *sdk.Host) error {
			s := files.Open(h, "notes", "n:")
			s.Reader(version)
			for _, name := range names {
				key := name + suffix
				moved := s.Moved(name, key)
				if !s.News(key, files.Sum(name)) {
					continue
				}
				r := h.Record("notes")
				if moved {
					r.MovedFrom("n:" + name)
				}
				r.String("id", "n:"+key)
				if err := r.Emit(); err != nil {
					return err
				}
			}
			return s.Close(true)
		}
	}
	first := sdktest.Collect(t, keyed(0, "", names...), sdktest.Options{})
	var res *sdktest.Result
	for _, lost := range []bool{true, false} { // what the run before knew
		res = next(t, first, keyed(1, ".new", names...), func(o *sdktest.Options) {
			if lost {
				o.State = nil
			}
		})
		if got := did(res); got != "+n:a.new +n:b.new +n:c.new +n:d.new +n:e.new +n:f.new" || !lost && len(res.Enumerations) != 0 || len(res.Stored()["notes"]) != len(names) {
			t.Errorf("%v: got %q, %d lists and %d records, want each under the other key alone", lost, got, len(res.Enumerations), len(res.Stored()["notes"]))
		}
		for _, r := range res.All {
			if r.MovedFrom+".new" != r.Key {
				t.Errorf("%s: got the earlier key %q, want the one without .new", r.Key, r.MovedFrom)
			}
		}
	}
	if res = next(t, res, keyed(1, ".new", names...), nil); did(res) != "" || len(res.States) != 0 {
		t.Errorf("the next run: got %q and %d cursors, want nothing", did(res), len(res.States))
	}
	if again := next(t, first, keyed(1, "", names...), nil); did(again) != "" {
		t.Errorf("got %q of things that keep their keys, want nothing", did(again))
	}
	// A later thing whose key is an earlier one's, under this reader, is another.
	if more := next(t, res, keyed(1, ".new", append(names, "a.new")...), nil); did(more) != "+n:a.new.new" || len(more.Stored()["notes"]) != len(names)+1 {
		t.Errorf("got %q and %d records, want one more", did(more), len(more.Stored()["notes"]))
	}
	if res = next(t, res, keyed(1, "", "a.new", "a"), nil); did(res) != "+n:a +n:a.new ~n:b.new ~n:c.new ~n:d.new ~n:e.new ~n:f.new" {
		t.Errorf("got %q, want nothing moved", did(res))
	}
}

// A file that an earlier reader took is looked at once more, and its record emitted if it is another one.
func TestReader(t *testing.T) {
	t.Parallel()
	e := files.Entry{Stamp: files.Stamp{Size: 3, MTimeMS: 5}}
	var emitted []string
	read := func(version, sum int64) notes {
		return func(h *sdk.Host) error {
			s := files.Open(h, "notes", "n:")
			s.Reader(version)
			if !s.Same("a", e) {
				emitted = append(emitted, "looked")
				if s.Take("a", e, sum) {
					emitted = append(emitted, "taken")
				}
			}
			return s.Close(true)
		}
	}
	res := sdktest.Collect(t, read(0, 7), sdktest.Options{})
	if got := res.Committed()["notes"]; got != `{"v":1,"items":{"a":[3,5,7]}}` {
		t.Errorf("got the cursor %s, want that of earlier versions", got)
	}
	for _, c := range []struct {
		version, sum int64
		want         string
	}{{0, 7, ""}, {1, 7, "looked"}, {1, 7, ""}, {2, 8, "looked taken"}, {2, 8, ""}, {1, 8, ""}} {
		emitted = nil
		res = next(t, res, read(c.version, c.sum), nil)
		if got := strings.Join(emitted, " "); got != c.want {
			t.Errorf("reader %d: got %q, want %q", c.version, got, c.want)
		}
	}
}
