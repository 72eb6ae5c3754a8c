package read

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/artifact"
)

// twins are two stores that agree on what one scope shows, and on nothing else.
type twins struct {
	*rapid.T

	stores  [2]*shelf
	readers [2]*follower
	seen    map[string]map[string]string // by connection and key: the granted fields of what is seen
	named   map[string]string            // connections by id
	late    bool                         // the index follows at times alone
}

// blobsOfBoth are in both stores, and blobOfOne is in the first.
var blobsOfBoth = []string{"blob", "other blob"}

const blobOfOne = "blob of one"

// blobOf says where a blob is found.
func blobOf(data string) func(*follower) string {
	return func(f *follower) string {
		found, err := f.Blobs(f.Context(), f.scope, artifact.ID(data), From{})
		return fmt.Sprint(found, err)
	}
}

// granted reports whether the twins' scope shows a field.
func (w *twins) granted(name string) bool {
	return slices.Contains(w.readers[0].scope.Streams[0].Fields, name)
}

func (w *twins) timed() *TimeBound { return w.readers[0].scope.Streams[0].Time }

// fields draws fields that are granted, or those that are not.
func (w *twins) fields(granted bool) map[string]string {
	all := map[string]string{}
	for _, name := range []string{"title", "body", "n"} {
		v := rapid.IntRange(0, 3).Draw(w.T, name)
		switch {
		case v == 0 || w.granted(name) != granted:
		case v == 3 && name != "n":
			of := blobsOfBoth
			if !granted {
				of = append(slices.Clip(of), blobOfOne)
			}
			all[name] = refer(rapid.SampledFrom(of).Draw(w.T, "blob"))
		default:
			all[name] = fmt.Sprintf(map[bool]string{true: `%d`, false: `"%d"`}[name == "n"], v)
		}
	}
	return all
}

// day draws a day that the scope shows, or hides.
func (w *twins) day(shown bool) string {
	first, last := 1, 9
	if t := w.timed(); t != nil {
		if first, last = t.Since.Day(), 9; t.Until != nil {
			last = t.Until.Day() - 1
		}
		if !shown {
			first, last = 1, first-1
		}
	}
	return fmt.Sprintf(`"2026-01-%02dT00:00:00Z"`, rapid.IntRange(first, last).Draw(w.T, "day"))
}

// put writes a record into one of the stores.
func (w *twins) put(twin int, at string, fields map[string]string) {
	connection, key, _ := strings.Cut(at, "/")
	members := []string{`"id":"` + key + `"`}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		members = append(members, `"`+name+`":`+fields[name])
	}
	w.stores[twin].put(connection, "notes", key, "{"+strings.Join(members, ",")+"}")
}

func with(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// place draws a record that the scope could show.
func (w *twins) place() string {
	scope := &w.readers[0].scope.Streams[0]
	keys := scope.Keys
	if keys == nil {
		keys = []string{"a", "b", "c"}
	}
	names := []string{"one", "two"}[:len(scope.Connections)]
	return rapid.SampledFrom(names).Draw(w.T, "connection") + "/" + rapid.SampledFrom(keys).Draw(w.T, "key")
}

// act does in both stores what the scope shows, each in its own way.
func (w *twins) act() {
	at := w.place()
	if rapid.IntRange(0, 2).Draw(w.T, "go") == 0 {
		for twin := range w.stores {
			w.hide(twin, at)
		}
		delete(w.seen, at)
		return
	}
	fields := w.fields(true)
	if w.granted("at") {
		fields["at"] = w.day(true)
	}
	w.seen[at] = fields
	for twin := range w.stores {
		w.put(twin, at, w.hidden(fields))
	}
}

// hidden adds what the scope does not show to a record that it does.
func (w *twins) hidden(granted map[string]string) map[string]string {
	all := with(w.fields(false), granted)
	if !w.granted("at") {
		all["at"] = w.day(true)
	}
	return all
}

// hide takes a record out of the scope: it is deleted, or moved in time.
func (w *twins) hide(twin int, at string) {
	if w.timed() != nil && rapid.Bool().Draw(w.T, "moved") {
		w.put(twin, at, with(w.fields(true), map[string]string{"at": w.day(false)}))
		return
	}
	connection, key, _ := strings.Cut(at, "/")
	w.stores[twin].put(connection, "notes", "-"+key, "")
}

// noise changes one store where the scope does not show it.
func (w *twins) noise() {
	twin := rapid.IntRange(0, 1).Draw(w.T, "twin")
	s := w.stores[twin]
	scope := &w.readers[0].scope.Streams[0]
	switch rapid.IntRange(0, 3).Draw(w.T, "noise") {
	case 0:
		s.put("one", "plain", "a", fmt.Sprintf(`{"id":"a","n":%d}`, rapid.Int().Draw(w.T, "n")))
	case 1:
		if scope.Keys != nil {
			s.put("one", "notes", "zz", fmt.Sprintf(`{"id":"zz","n":%d}`, rapid.Int().Draw(w.T, "n")))
		} else if len(scope.Connections) == 1 {
			s.put("two", "notes", "a", fmt.Sprintf(`{"id":"a","title":"%d"}`, rapid.Int().Draw(w.T, "n")))
		}
	default:
		at := w.place()
		if fields := w.seen[at]; fields != nil {
			w.put(twin, at, w.hidden(fields))
		} else {
			w.hide(twin, at)
		}
	}
}

// step does a few things in both stores, at one time.
func (w *twins) step() {
	for range rapid.IntRange(0, 3).Draw(w.T, "steps") {
		for _, s := range w.stores {
			s.now = s.now.Add(time.Minute)
		}
		if rapid.Bool().Draw(w.T, "seen") {
			w.act()
		} else {
			w.noise()
		}
		if !w.late || rapid.Bool().Draw(w.T, "indexed") {
			for _, s := range w.stores {
				_, err := s.Index.All(s.Context(), 0)
				s.ok(err)
			}
		}
	}
}

// same fails where what the readers of both stores got differs.
func (w *twins) same(what string, ask func(*follower) string) {
	w.Helper()
	one, two := ask(w.readers[0]), ask(w.readers[1])
	for id, name := range w.named {
		one, two = strings.ReplaceAll(one, id, name), strings.ReplaceAll(two, id, name)
	}
	if one != two {
		w.Fatalf("%s: %s tells the stores apart:\n%s\n%s", w.readers[0].name, what, one, two)
	}
}

// feedOf asks for one page, and says all of it but the tokens themselves.
func feedOf(f *follower) string {
	page, err := f.Changes(f.Context(), f.scope, f.ask)
	if err != nil {
		return err.Error()
	}
	rows := make([]string, len(page.Rows))
	for i := range page.Rows {
		r := &page.Rows[i]
		rows[i] = fmt.Sprintln(r.Connection, r.Key, r.Gone, f.shown(&r.Record), r.RunID)
	}
	if f.late {
		slices.Sort(rows)
	}
	if f.ask.Cursor = page.Next; page.Next == "" {
		f.ask.Since = page.Since
	}
	return fmt.Sprintln(rows, len(page.Next), len(page.Since), page.Warnings)
}

// listOf says all of a list, in its order where that is seen.
func listOf(f *follower) string {
	_, rows, since := f.list(f.Fatalf, 2, func() {})
	if !slices.Contains(f.scope.Streams[0].Fields, "at") {
		slices.Sort(rows)
	}
	page, err := f.List(f.Context(), f.scope, List{From: f.ask.From, Limit: 1, Count: true})
	if err != nil {
		return err.Error()
	}
	times, err := f.List(f.Context(), f.scope, List{From: f.ask.From, Limit: 1, Times: true})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(strings.Join(rows, "\n"), " ", len(since), len(page.Next), *page.Count, *times.Times)
}

// oneOf says what a single record is.
func oneOf(at string) func(*follower) string {
	connection, key, _ := strings.Cut(at, "/")
	return func(f *follower) string {
		r, err := f.Reader.Record(f.Context(), f.scope, One{From: From{Stream: "notes", Connections: []string{connection}}, Key: key})
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(f.shown(r), r.RunID, r.Seq)
	}
}

// rankOf says all of a search, page by page.
func rankOf(text string) func(*follower) string {
	return func(f *follower) string {
		q := Search{Text: text, Limit: 2}
		var told []string
		for {
			page, err := f.Rank(f.Context(), f.scope, q)
			if err != nil {
				return err.Error()
			}
			for i := range page.Hits {
				h := &page.Hits[i]
				when := h.EmittedAt
				if f.late { // see shown
					when = ""
				}
				told = append(told, fmt.Sprint(h.Connection, h.Key, when, h.RunID, h.Seq, h.Matched, h.Field, h.Snippet, h.Before, h.Behind))
			}
			if f.late {
				slices.Sort(told)
			} else {
				told = append(told, fmt.Sprint(len(page.Next), page.Matches, page.Complete, page.Warnings))
			}
			if q.Cursor = page.Next; page.Next == "" {
				return strings.Join(told, "\n")
			}
		}
	}
}

// Invariant 9, RD-23.4, RD-23.8, RD-34.4: nothing that a scope does not show moves an answer
// under it. Two stores that agree on what it shows, and differ in hidden fields, in times
// that are not granted, in records outside and in what was done to them and when, give the
// same pages of changes, the same lists, counts, records and times, and tokens of one length; they find the
// same blobs, whatever hidden records refer to.
// A late index knows a record's last change alone: a record that changed twice before it was
// indexed has the date and the place of the second change.
func TestNonInterference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &twins{T: rt, seen: map[string]map[string]string{}, named: map[string]string{}}
		which, limit := rapid.IntRange(0, 3).Draw(rt, "scope"), rapid.IntRange(1, 3).Draw(rt, "limit")
		if w.late = rapid.IntRange(0, 3).Draw(rt, "late") == 0; w.late {
			limit = 100
		}
		for twin := range w.stores {
			s := newShelfOf(t, fmt.Sprint(twin))
			defer func() { s.ok(s.Store.Close()) }()
			for _, name := range []string{"one", "two"} {
				src := artifact.Source(t, s.Store, name, "demo")
				for _, data := range append(slices.Clip(blobsOfBoth), blobOfOne)[:3-twin] {
					artifact.Put(t, s.Store, src, "text/plain", data)
				}
				s.accept(name, manifest)
			}
			ids := s.ids("one", "two")
			w.named[ids[0]], w.named[ids[1]] = "one", "two"
			w.stores[twin] = s
			clients := slices.DeleteFunc(followers(s, ids, limit), func(f *follower) bool { return f.scope.Owner })
			w.readers[twin] = clients[which]
			w.readers[twin].late = w.late
		}
		for range rapid.IntRange(2, 10).Draw(rt, "rounds") {
			w.step()
			switch rapid.IntRange(0, 9).Draw(rt, "ask") {
			case 0:
				w.same("a list", listOf)
			case 1:
				w.same("a record", oneOf(w.place()))
			case 8, 9:
				w.same("a blob", blobOf(rapid.SampledFrom(append(slices.Clip(blobsOfBoth), blobOfOne)).Draw(rt, "blob")))
			case 6, 7:
				w.same("a search", rankOf(rapid.SampledFrom([]string{"1", "2"}).Draw(rt, "text")))
			case 2:
				if w.granted("at") { // else the order of the list is not seen, and shows in what it began
					for _, f := range w.readers {
						_, _, f.ask.Since = f.list(rt.Fatalf, 2, func() {})
						f.ask.Cursor = ""
					}
				}
			case 3:
				for _, f := range w.readers {
					f.ask.Since, f.ask.Cursor = Beginning, ""
				}
			default:
				w.same("a page of changes", feedOf)
			}
		}
		w.same("a page of changes", feedOf)
		w.same("the last list", listOf)
		for _, data := range append(slices.Clip(blobsOfBoth), blobOfOne) {
			w.same("the last blobs", blobOf(data))
		}
		w.same("the last search", rankOf("1"))
	})
}
