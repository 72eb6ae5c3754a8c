package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/leftover"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// AC-02: in a run with a cursor a file that the connector calls read need not be opened, and in
// one without a cursor it is.
func TestUnchangedFilesNeedACursor(t *testing.T) {
	t.Parallel()
	_, roots := filesIn(t, "a.txt", "b.txt")
	h := newHost(t, setup{roots: roots, enumerate: true})
	both := says("a.txt", abi.FileRead) + says("b.txt", abi.FileRead)
	h.succeed(both + "finish")
	if got, want := h.unread(), []string{"a.txt", "b.txt"}; !slices.Equal(got, want) {
		t.Errorf("without a cursor: got %v, want %v", got, want)
	}
	h.succeed(note + openA + openB + both + "finish")
	h.succeed(both + "finish")
	if got := h.unread(); len(got) != 0 {
		t.Errorf("with a cursor: got %v, want no file", got)
	}
}

// AC-03: what the owner says of a file holds for that file as it was, and ends when it has changed: what
// comes under its name later is told, whatever its reason. A word that is said, or taken back, while a run goes on
// holds behind it.
func TestTheOwnersWordIsAboutAFileAsItWas(t *testing.T) {
	t.Parallel()
	dir, roots := filesIn(t, "a.txt", "b.txt")
	h := newHost(t, setup{roots: roots, enumerate: true})
	h.succeed(note + openA + openB + "finish")
	conn, err := h.store.Connection(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	const read = note + openA + openB
	holds := func(unknown int, names string) string {
		return fmt.Sprintf(`account {"type":"ACCOUNT","files":[{"root":"scripted","path":"b.txt","as":"read","entries":{"count":%d,"unknown":%d,"names":[%s]}}]}`+"\n", unknown, unknown, names)
	}
	damaged := `account {"type":"ACCOUNT","files":[{"root":"scripted","path":"b.txt","as":"damaged","reason":"torn"}]}` + "\n"
	steps := []struct {
		name, content, script string
		change                leftover.Change
		left                  string // what is left before the change: entries, and how many are not named
		words                 int    // behind it
	}{
		{"entries beyond those that are named", "1", read + holds(70, `"x"`), leftover.Change{Ignore: []string{"b.txt"}}, "b.txt/x and 69", 1},
		{"the same ones", "1", read + holds(70, `"x"`), leftover.Change{}, "", 1},
		{"in a file that has changed", "22", read + holds(1, `"x"`), leftover.Change{Ignore: []string{"b.txt/x"}}, "b.txt/x", 1},
		{"said already", "22", read + holds(1, `"x"`), leftover.Change{Ignore: []string{"b.txt/x"}}, "", 1},
		{"another entry", "22", read + holds(2, `"x","y"`), leftover.Change{}, "b.txt/y", 1},
		{"damage", "333", read + damaged, leftover.Change{Ignore: []string{"b.txt"}}, "b.txt: torn", 1},
		{"the same damage", "333", read + damaged, leftover.Change{}, "", 1},
		{"the same reason of a file that has changed", "4444", read + damaged, leftover.Change{Ignore: []string{"b.txt"}}, "b.txt: torn", 1},
		{"taken back", "4444", read + damaged, leftover.Change{Heed: []string{"b.txt"}}, "", 0},
		{"and told again", "4444", read + damaged, leftover.Change{}, "b.txt: torn", 0},
	}
	for _, s := range steps {
		at := filepath.Join(dir, "b.txt")
		if old, err := os.ReadFile(at); err != nil || string(old) != s.content {
			if err := os.WriteFile(at, []byte(s.content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		h.succeed(s.script + says("a.txt", abi.FileRead) + "finish")
		left := strings.Join(h.unread(), " ")
		b, _, err := h.store.Books(t.Context(), conn.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range b.Amiss.Files {
			left += f.Path + ": " + f.Reason
		}
		if b.Beyond > 0 {
			left += fmt.Sprint(" and ", b.Beyond)
		}
		if err := leftover.Decide(t.Context(), h.store, conn, s.change); err != nil {
			t.Fatal(err)
		}
		now, words, err := h.store.Books(t.Context(), conn.ID)
		if err != nil || left != s.left || len(words) != s.words {
			t.Errorf("%s: got %q left, and the words %+v, %v; want %q, and %d words", s.name, left, words, err, s.left, s.words)
		}
		if len(s.change.Ignore) > 0 && len(now.Unread)+len(now.Amiss.Files)+int(now.Beyond) > 0 {
			t.Errorf("%s: got %+v behind the owner's word, want nothing left", s.name, now)
		}
	}
}

// AC-02: a word that ends in one folder does not have the books forget that the file of that path in another one was left alone.
func TestAWordEndsInItsFolder(t *testing.T) {
	t.Parallel()
	word := func(root string) manifest.Word {
		return manifest.Word{Pattern: "/a", Root: root, For: []string{""}}
	}
	a := &accounts{whole: true, owners: []manifest.Word{word("one"), word("two")}}
	o := &storage.Outcome{Status: StatusSucceeded}
	a.settle(o, &plugin.Books{Over: []manifest.Word{word("one")}}, 0)
	if want := []string{"/a"}; o.Books == nil || !slices.Equal(o.Books.Ruled, want) {
		t.Errorf("got %+v, want the pattern %q among those that were left alone", o.Books, want)
	}
}

// AC-01: files beyond those that the books name are not read by the next run, which opened none.
func TestFilesBeyondThoseThatAreNamed(t *testing.T) {
	t.Parallel()
	const many = plugin.MaxUnread + 50
	var names []string
	for i := range many {
		names = append(names, fmt.Sprintf("f%04d", i))
	}
	_, roots := filesIn(t, names...)
	h := newHost(t, setup{roots: roots, enumerate: true})
	for run := range 2 {
		h.succeed(note + "finish")
		conn, err := h.store.Connection(t.Context(), "scripted")
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := h.store.Books(t.Context(), conn.ID)
		if err != nil {
			t.Fatal(err)
		}
		if n := int64(len(b.Unread)) + b.Beyond; n != many {
			t.Errorf("run %d: got %d files that nothing explains, want %d", run, n, many)
		}
	}
}

// AC-02: what the next run takes for read by the books of the last one: nothing by vague books,
// and nothing that a rule of theirs left alone.
func TestWhatBooksSayOfTheNextRun(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		books storage.Books
		mode  string
		since int64
	}{
		"whole":        {storage.Books{BegunMS: 7, Ruled: []string{"*.bak"}}, abi.ModeIncremental, 7},
		"beyond":       {storage.Books{BegunMS: 7, Ruled: []string{"*.bak"}, Beyond: 1}, abi.ModeIncremental, 0},
		"vague":        {storage.Books{BegunMS: 7, Ruled: []string{"*.bak"}, Vague: true}, abi.ModeIncremental, 0},
		"full refresh": {storage.Books{BegunMS: 7, Ruled: []string{"*.bak"}}, abi.ModeFullRefresh, 0},
	} {
		var a plugin.Accounting
		asOf(&a, &tc.books, tc.mode)
		if a.Since != tc.since || tc.since > 0 && !slices.Equal(a.Ruled, tc.books.Ruled) {
			t.Errorf("%s: got %+v, want since %d, with its rules", name, a, tc.since)
		}
	}
}

// AC-04: items that a connector kept back, and of which nothing says why, are told; a word of the
// connector on the stream is enough.
func TestItemsKeptBackInSilence(t *testing.T) {
	t.Parallel()
	const kept = `account {"type":"ACCOUNT","streams":[{"stream":"notes","met":3,"emitted":1,"kept_back":2}]}` + "\n"
	const gap = `gap {"type":"DETAIL_GAP","stream":%q,"record_key":"b2","reason":"temporary_unavailable","retryable":true,"status":"pending","detail_locator":{"id":"b2"}}` + "\n"
	for name, tc := range map[string]struct {
		words string
		told  bool
	}{
		"silence":           {"", true},
		"a word":            {`skip {"type":"SKIP_RESULT","stream":"notes","reason":"too_large","recovery_hint":"not_retriable"}` + "\n", false},
		"a word on the run": {`skip {"type":"SKIP_RESULT","reason":"too_large","recovery_hint":"not_retriable"}` + "\n", false},
		"a gap":             {fmt.Sprintf(gap, "notes"), false},
		"a gap of another":  {fmt.Sprintf(gap, "messages"), true},
		"a word on another": {`skip {"type":"SKIP_RESULT","stream":"messages","reason":"too_large","recovery_hint":"not_retriable"}` + "\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			res := h.succeed(note + tc.words + kept + "finish")
			at := slices.IndexFunc(res.KnownGaps, func(g KnownGap) bool { return g.Kind == "kept_back" })
			if at >= 0 != tc.told || tc.told && (res.KnownGaps[at].Count != 2 || res.KnownGaps[at].Stream != "notes") {
				t.Errorf("got %+v, want 2 items of notes told: %v", res.KnownGaps, tc.told)
			}
			if v := h.verdict(); tc.told && v.Pill.Tone != verdict.Amber {
				t.Errorf("got %s, want it told", v.Pill.Label)
			}
		})
	}
}

// AC-01: the names of entries are bounded together, and their counts are not.
func TestNamesOfEntriesAreBounded(t *testing.T) {
	t.Parallel()
	a := &accounts{archives: map[plugin.GrantedFile]*abi.EntryAccount{}}
	const archives = 2 * maxArchives
	for i := range archives {
		f := abi.FileAccount{Root: "r", Path: fmt.Sprint(i, strings.Repeat("x", 2000)), As: abi.FileRead}
		for range 2 { // a later word replaces an earlier one
			f.Entries = &abi.EntryAccount{Count: 2, Unknown: 2, Names: []string{strings.Repeat("n", 2000)}}
			if i >= maxArchives {
				f.Path = fmt.Sprint(i)
			}
			a.file(&f)
		}
	}
	var b storage.Books
	n, size := a.entries(&b, nil), 0
	for _, u := range b.Unread {
		size += len(u.Path)
	}
	if n < 2*archives || size > maxNameBytes || a.named > maxNameBytes || len(a.archives) > maxArchives || len(b.Unread) == 0 {
		t.Errorf("got %d entries, names of %d bytes, %d kept, of %d archives, want at least %d, and at most %d, %d, %d", n, size, a.named, len(a.archives), 2*archives, maxNameBytes, maxNameBytes, maxArchives)
	}
	for i := range archives {
		f := abi.FileAccount{Root: "r", Path: fmt.Sprint(i, strings.Repeat("x", 2000)), As: abi.FileRead}
		if i >= maxArchives {
			f.Path = fmt.Sprint(i)
		}
		a.file(&f)
	}
	if a.named != 0 || len(a.archives) != 0 {
		t.Errorf("after a later word: got %d bytes of %d archives, want 0", a.named, len(a.archives))
	}
}

// AC-03: a sentence has no letter that moves a cursor, and the books have the name as it is.
func TestNamesInSentences(t *testing.T) {
	t.Parallel()
	const name = "a\nb\x1b[2J\u202e.txt"
	_, roots := filesIn(t, name)
	h := newHost(t, setup{roots: roots, enumerate: true})
	res := h.succeed(note + "finish")
	if got := h.unread(); !slices.Equal(got, []string{name}) {
		t.Errorf("books: got %q, want %q", got, name)
	}
	at := slices.IndexFunc(res.KnownGaps, func(g KnownGap) bool { return g.Kind == "unexplained_input" })
	if at < 0 || strings.Contains(string(res.KnownGaps[at].Diagnostics), "u001b") {
		t.Errorf("gap: got %+v, want it told without control letters", res.KnownGaps)
	}
	if s := h.verdict().ForwardStatement; strings.ContainsAny(s, "\n\x1b\u202e") || !strings.Contains(s, "a\uFFFDb\uFFFD[2J") {
		t.Errorf("verdict: got %q, want it without control letters", s)
	}
}

// AC-04: a note of the host on a stream's list says nothing of items that were kept back.
func TestWhatExplainsItemsKeptBack(t *testing.T) {
	t.Parallel()
	list := KnownGap{Kind: KindEnumeration, Reason: "deletions_withheld", Severity: severityInformational, Stream: "notes"}
	word := KnownGap{Kind: kindSkip, Reason: "too_large", Severity: severityInformational, Stream: "notes"}
	weighs := KnownGap{Kind: "rejected_record", Reason: "r", Severity: "actionable", Stream: "notes"}
	for name, tc := range map[string]struct {
		gaps []KnownGap
		want bool
	}{
		"no gap":             {nil, false},
		"its list":           {[]KnownGap{list}, false},
		"the connector":      {[]KnownGap{list, word}, true},
		"what weighs":        {[]KnownGap{weighs}, true},
		"of all streams":     {[]KnownGap{{Kind: kindSkip, Severity: severityInformational}}, true},
		"of another stream":  {[]KnownGap{{Kind: kindSkip, Stream: "chats"}, {Kind: "rejected_record", Severity: "actionable", Stream: "chats"}}, false},
		"more than it lists": {make([]KnownGap, 0), true},
	} {
		var k knownGaps
		for _, g := range tc.gaps {
			k.add(g)
		}
		if tc.gaps != nil && len(tc.gaps) == 0 {
			k.dropped = 1
		}
		if got := k.explains("notes"); got != tc.want {
			t.Errorf("%s: got explained: %v, want %v", name, got, tc.want)
		}
	}
}
