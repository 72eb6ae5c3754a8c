package read

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RD-16.1, RD-16.2, RD-16.3: a cursor tells nothing, is good for its own request only, for
// any limit, for a day, and none with a changed bit is.
func TestCursors(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c", "d")
	id := s.accept("c", manifest)
	for _, name := range []string{"c", "d"} {
		s.put(name, "notes", "secret1", `{"id":"secret1","n":1,"at":"2026-01-01T00:00:00Z"}`, "secret2", `{"id":"secret2","n":1,"at":"2026-01-02T00:00:00Z"}`)
	}
	l := List{From: From{Stream: "notes"}, Limit: 1}
	page, err := s.List(t.Context(), OwnerScope(), l)
	s.ok(err)
	cursor := page.Next
	plain, err := base64.RawURLEncoding.DecodeString(cursor)
	s.ok(err)
	for _, text := range []string{"secret", "2026", id} {
		if strings.Contains(string(plain), text) || strings.Contains(cursor, text) {
			t.Errorf("the cursor has %q in it", text)
		}
	}
	refused := func(why string, scope *Scope, l List) {
		t.Helper()
		if _, err := s.List(t.Context(), scope, l); abi.CodeOf(err) != CodeCursor {
			t.Errorf("%s: got %v, want %s", why, err, CodeCursor)
		}
	}
	l.Cursor, l.Limit = cursor, 50
	if _, err := s.List(t.Context(), OwnerScope(), l); err != nil {
		t.Errorf("another limit: %v", err)
	}
	for why, change := range map[string]func(*List){
		"another order":       func(l *List) { l.Order = "asc" },
		"another filter":      func(l *List) { l.Filters = []Filter{{"n", Equal, "1"}} },
		"another field":       func(l *List) { l.Fields = []string{"id"} },
		"another stream":      func(l *List) { l.Stream = "plain" },
		"another connection":  func(l *List) { l.Connections = []string{"c"} },
		"an empty one":        func(l *List) { l.Cursor = "A" },
		"one with a new line": func(l *List) { l.Cursor += "\n" },
		"one that is long":    func(l *List) { l.Cursor = strings.Repeat("A", 1<<17) },
	} {
		other := l
		change(&other)
		if other.Stream == "plain" {
			s.put("c", "plain", "a", "{}")
		}
		refused(why, OwnerScope(), other)
	}
	refused("a grant's", &Scope{Streams: []StreamScope{{Name: "notes", Connections: []string{id}, Fields: []string{"id", "at"}}}}, l)
	if _, err := s.Search(t.Context(), OwnerScope(), Search{Text: "x", Cursor: cursor}); abi.CodeOf(err) != CodeCursor {
		t.Errorf("a search takes a list's cursor: %v", err)
	}
	for bit := range len(plain) * 8 {
		plain[bit/8] ^= 1 << (bit % 8)
		l.Cursor = base64.RawURLEncoding.EncodeToString(plain)
		refused(fmt.Sprint("bit ", bit), OwnerScope(), l)
		plain[bit/8] ^= 1 << (bit % 8)
	}
	l.Cursor = cursor
	s.now = s.now.Add(pagesLive)
	if _, err := s.List(t.Context(), OwnerScope(), l); err != nil {
		t.Errorf("a day old: %v", err)
	}
	s.now = s.now.Add(time.Second)
	refused("an old one", OwnerScope(), l)
	if _, err := s.List(t.Context(), OwnerScope(), l); err == nil || !strings.Contains(err.Error(), "begin again") {
		t.Errorf("got %v, want the words that say to begin again, since no face tells an app of hints", err)
	}
}

// RD-16.2, RD-27.4: the cursors and tokens of a grant are good for it, and not for another one that
// shows the same; the searches of that one end none of its own.
func TestCursorsAreOfOneGrant(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a","title":"red"}`, "b", `{"id":"b","title":"red"}`)
	scope := func(grant string) *Scope {
		return &Scope{Grant: grant, Streams: []StreamScope{{Name: "notes", Connections: s.ids("c"), Fields: []string{"id", "title"}}}}
	}
	list := List{From: From{Stream: "notes"}, Limit: 1}
	changes, search := Changes{From: list.From, Since: Beginning, Limit: 1}, Search{Text: "red", Limit: 1}
	listed, err := s.List(t.Context(), scope("one"), list)
	s.ok(err)
	told, err := s.Changes(t.Context(), scope("one"), changes)
	s.ok(err)
	found, err := s.Rank(t.Context(), scope("one"), search)
	s.ok(err)
	for range mostOfScope {
		_, err := s.Rank(t.Context(), scope("two"), search)
		s.ok(err)
	}
	since := changes
	list.Cursor, changes.Cursor, search.Cursor, since.Since = listed.Next, told.Next, found.Next, listed.Since
	for _, grant := range []string{"two", "one"} {
		var errs [4]error
		_, errs[0] = s.List(t.Context(), scope(grant), list)
		_, errs[1] = s.Changes(t.Context(), scope(grant), changes)
		_, errs[2] = s.Rank(t.Context(), scope(grant), search)
		_, errs[3] = s.Changes(t.Context(), scope(grant), since)
		for i, err := range errs {
			if got := abi.CodeOf(err); (grant == "one") != (err == nil) || err != nil && got != CodeCursor {
				t.Errorf("%d, the grant %s: got %v, want a page of the grant one, and %s of the other", i, grant, err, CodeCursor)
			}
		}
	}
}

// RD-16.2: of a hundred thousand cursors that were changed in one to four places, cut short, made
// longer or put together of two, none is read.
func TestChangedCursors(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	seal, err := s.sealer(t.Context(), "list", pagesLive, OwnerScope(), List{})
	s.ok(err)
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.+/ \n"
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		first, err := seal.seal(fmt.Appendf(nil, "place %d", i))
		s.ok(err)
		changed := []byte(first)
		second, err := seal.seal([]byte("another place"))
		s.ok(err)
		switch cut := 1 + random.IntN(len(first)-1); random.IntN(4) {
		case 0:
			changed = changed[:cut]
		case 1:
			changed = slices.Insert(changed, cut, alphabet[random.IntN(len(alphabet))])
		case 2:
			changed = append(changed[:cut], second[min(cut, len(second)):]...)
		default:
			for range 1 + random.IntN(4) {
				changed[random.IntN(len(changed))] = alphabet[random.IntN(len(alphabet))]
			}
		}
		if string(changed) == first || string(changed) == second {
			continue
		}
		if plain, err := seal.open(string(changed)); abi.CodeOf(err) != CodeCursor {
			t.Fatalf("%s for %s: got %q, %v, want %s", changed, first, plain, err, CodeCursor)
		}
	}
}

// Invariant 9, RD-16.1, RD-34.4: a cursor is as long whatever a hidden field has that its list is
// ordered by, and goes on behind it.
func TestACursorHidesHowLongAValueIs(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	id := s.accept("c", strings.ReplaceAll(manifest, `"cursor_field":"at"`, `"cursor_field":"body"`))
	want := []string{"9"}
	for i, n := range []int{0, 1, 126, 127, 128, 511, 512, 600} { // in the order of texts
		key := fmt.Sprint(i)
		s.put("c", "notes", key, fmt.Sprintf(`{"id":%q,"body":%q}`, key, strings.Repeat("x", n)))
		want = slices.Insert(want, i, key)
	}
	s.put("c", "notes", "9", `{"id":"9"}`)
	for _, fields := range [][]string{{"id"}, {"id", "body"}} {
		scope := &Scope{Streams: []StreamScope{{Name: "notes", Connections: []string{id}, Fields: fields}}}
		var keys []string
		lengths := map[int]bool{}
		for l := (List{From: From{Stream: "notes"}, Order: "asc", Limit: 1}); ; {
			page, err := s.List(t.Context(), scope, l)
			s.ok(err)
			keys = append(keys, page.Records[0].Key)
			if l.Cursor = page.Next; l.Cursor == "" {
				break
			}
			lengths[len(l.Cursor)] = true
			if len(l.Cursor) > 4096 {
				t.Errorf("a cursor has %d bytes, want at most 4096", len(l.Cursor))
			}
		}
		s.same(keys, want)
		if hidden := len(fields) == 1; hidden != (len(lengths) == 1) {
			t.Errorf("with the fields %q: got cursors of the lengths %v, want one length where the order is hidden, and as much as is needed where not", fields, lengths)
		}
	}
}

// RD-16.1: a cursor has at most 4 KiB for a key of 2 KiB.
func TestCursorOfALongKey(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	long := strings.Repeat("k", 2048)
	s.put("c", "notes", long+"2", `{"id":"x","at":"2026-01-01T00:00:00Z"}`, long[1:], `{"id":"x","at":"2026-01-01T00:00:00Z"}`)
	page, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Limit: 1})
	s.ok(err)
	if len(page.Next) == 0 || len(page.Next) > 4096 {
		t.Errorf("the cursor has %d bytes, want at most 4096", len(page.Next))
	}
	s.same(s.keys(List{From: From{Stream: "notes"}, Limit: 1}), []string{long + "2", long[1:]})
}

// RD-16.2: whatever somebody sends as a cursor is refused, and never read as a place.
func FuzzCursor(f *testing.F) {
	s := newShelf(f, "c")
	s.put("c", "notes", "a", `{"id":"a"}`, "b", `{"id":"b"}`)
	page, err := s.List(f.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Limit: 1})
	s.ok(err)
	f.Add(page.Next)
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, cursor string) {
		if cursor == page.Next || cursor == "" {
			return
		}
		if _, err := s.List(t.Context(), OwnerScope(), List{From: From{Stream: "notes"}, Cursor: cursor}); abi.CodeOf(err) != CodeCursor {
			t.Errorf("%q: got %v, want %s", cursor, err, CodeCursor)
		}
		_, _ = readPosition([]byte(cursor)) // panics at nothing
	})
}

// RD-16.1: a cursor has at most 4 KiB behind the longest key that a record may have, with the longest
// order. A longer key, which an older host took, makes a longer cursor.
func TestCursorOfLongKey(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	for _, bytes := range []int{abi.MaxKeyBytes, 2 * abi.MaxKeyBytes} {
		key := strings.Repeat("k", bytes)
		s.accept("c", strings.Replace(manifest, `"cursor_field":"at"`, `"cursor_field":"title"`, 1))
		s.put("c", "notes", key, fmt.Sprintf(`{"id":"a","title":%q}`, strings.Repeat("ü", 1000)), "z", `{"id":"z"}`)
		l := List{From: From{Stream: "notes"}, Limit: 1}
		page, err := s.List(t.Context(), OwnerScope(), l)
		s.ok(err)
		if page.Records[0].Key != key || bytes == abi.MaxKeyBytes && len(page.Next) > 4<<10 {
			t.Errorf("got a cursor of %d bytes behind a key of %d, want 4 KiB at most", len(page.Next), bytes)
		}
		s.same(s.keys(l), []string{key, "z"})
		s.put("c", "notes", "-"+key, "")
	}
}
