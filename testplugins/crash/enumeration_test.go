//go:build linux

package crash

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCrashEnumeration kills the host or its worker in the middle of enumerations, between
// their close and their sweep, and between two runs of one generation, while objects come,
// change and go: nothing that exists is ever buried, and a run that is left alone ends with
// what the source holds. Invariant 12, on a file.
func TestCrashEnumeration(t *testing.T) { crashEnumeration(t, file{t}) }

// TestCrashEnumerationPostgres is the same on a server, whose sessions and backends die, too.
func TestCrashEnumerationPostgres(t *testing.T) { crashEnumeration(t, startServer(t)) }

func crashEnumeration(t *testing.T, store database) {
	t.Helper()
	if testing.Short() {
		t.Skip("kills processes for a while")
	}
	dir := t.TempDir()
	h := harness{
		database: store, t: t, host: build(t, filepath.Join(dir, "pdpp-host"), "cmd/pdpp-host"),
		plugins: filepath.Join(dir, "plugins"), connector: "lister", input: filepath.Join(dir, "lister"), cache: filepath.Join(dir, "cache"),
	}
	for _, folder := range []string{h.plugins, h.input} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	build(t, filepath.Join(h.plugins, "lister.wasm"), "testplugins/guests/lister")
	l := &list{rng: rand.New(rand.NewPCG(*seed, 1)), parts: map[string]map[string]string{"things": {}, "p": {}, "q": {}}, came: map[string]bool{}}
	l.add("things", 6000)
	l.add("p", 1500)
	l.add("q", 1500)
	l.write(h)
	data := filepath.Join(dir, "data")
	store.fresh(data)
	h.run(data) // fills the module cache
	began := time.Now()
	h.run(data)
	length := time.Since(began)
	h.holds(data, l)

	met := 0
	victims := store.victims()
	rounds := max(2, *crashes/4)
	for i := range rounds {
		l.change()
		l.write(h)
		// The first kill meets a generation that begins, the second one that goes on.
		for range 2 {
			if h.kill(data, victims[i%len(victims)], time.Duration(l.rng.Int64N(int64(length)))) {
				met++
			}
			h.check(data)
			h.buriesNothing(data, l)
			if l.rng.IntN(2) == 0 {
				l.change()
				l.write(h)
			}
		}
		h.run(data) // goes on
		h.buriesNothing(data, l)
		h.run(data) // from the beginning
		h.check(data)
		h.holds(data, l)
		clear(l.came)
	}
	t.Logf("%d kills, %d of them in the middle of a run of %v: nothing buried that exists, and nothing left that is gone", 2*rounds, met, length)
	if met == 0 {
		t.Fatal("got no kill that met a run, want some")
	}
}

// list is what the source holds: by part, the data of each object.
type list struct {
	rng   *rand.Rand
	parts map[string]map[string]string
	made  int

	// came is what part q got from part p since the host last read both from the beginning. While
	// q, which is listed after p, has not been read to such an object, one that has left p is
	// a tombstone.
	came map[string]bool
}

// add has objects appear, anywhere in the order of the ids.
func (l *list) add(part string, n int) {
	for range n {
		l.made++
		l.parts[part][fmt.Sprintf("%04d-%d", l.rng.IntN(10_000), l.made)] = "new"
	}
}

// change has a hundredth of the objects go, a hundredth change and some appear. A few move to the
// other part or are in both.
func (l *list) change() {
	for _, part := range slices.Sorted(maps.Keys(l.parts)) {
		objects := l.parts[part]
		for _, id := range slices.Sorted(maps.Keys(objects)) {
			_, moves := l.parts["q"][id]
			switch l.rng.IntN(200) {
			case 0, 1:
				delete(objects, id)
			case 2, 3:
				objects[id] = fmt.Sprint(l.rng.Uint64())
			default:
				if moves && part == "p" && l.rng.IntN(2) == 0 {
					delete(objects, id)
				}
			}
		}
		l.add(part, len(objects)/100)
	}
	for _, id := range slices.Sorted(maps.Keys(l.parts["p"])) {
		if l.rng.IntN(50) == 0 {
			l.parts["q"][id] = l.parts["p"][id]
			l.came["shelved "+id] = true
		}
	}
	for id := range l.parts["q"] { // one object has one state
		if data, both := l.parts["p"][id]; both {
			l.parts["q"][id] = data
		}
	}
}

func (l *list) write(h harness) {
	h.t.Helper()
	type object struct {
		ID   string `json:"id"`
		Data string `json:"data"`
	}
	out := map[string]map[string][]object{"things": {}, "shelved": {}}
	for part, objects := range l.parts {
		stream, name := "shelved", part
		if part == "things" {
			stream, name = part, ""
		}
		for _, id := range slices.Sorted(maps.Keys(objects)) {
			out[stream][name] = append(out[stream][name], object{id, objects[id]})
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.input, "list.json"), text, 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// there returns the objects by "stream id".
func (l *list) there() map[string]string {
	out := map[string]string{}
	for part, objects := range l.parts {
		stream := "shelved "
		if part == "things" {
			stream = "things "
		}
		for id, data := range objects {
			out[stream+id] = data
		}
	}
	return out
}

// stored calls fn with each record.
func (h harness) stored(data string, fn func(record, state string, buried bool)) {
	h.t.Helper()
	out := h.query(data, `SELECT s.name, r.key, r.deleted, coalesce(r.data, '') FROM records r JOIN streams s ON s.id = r.stream_id`)
	for row := range strings.SplitSeq(strings.TrimSuffix(out, "\x1e"), "\x1e") {
		if f := strings.Split(row, "\x1f"); len(f) == 4 {
			fn(f[0]+" "+f[1], f[3], f[2] == "1")
		}
	}
}

// buriesNothing fails when an object that exists is a tombstone, and has not just moved to the
// part that is listed last.
func (h harness) buriesNothing(data string, l *list) {
	h.t.Helper()
	there := l.there()
	h.stored(data, func(record, _ string, buried bool) {
		if _, exists := there[record]; exists && buried && !l.came[record] {
			h.t.Fatalf("got %s buried, want it there: the source has it", record)
		}
	})
}

// holds fails when the store does not hold what the source does.
func (h harness) holds(data string, l *list) {
	h.t.Helper()
	left := l.there()
	h.stored(data, func(record, state string, buried bool) {
		if buried {
			return
		}
		want, exists := left[record]
		if !exists || !strings.Contains(state, `"`+want+`"`) {
			h.t.Fatalf("got %s as %s, want %q (in the source: %v)", record, state, want, exists)
		}
		delete(left, record)
	})
	if len(left) > 0 {
		h.t.Fatalf("got %d objects of the source less than it has, want all; one: %s", len(left), slices.Sorted(maps.Keys(left))[0])
	}
}
