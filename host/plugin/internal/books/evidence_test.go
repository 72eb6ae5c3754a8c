package books

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/rootfs"
)

// AC-01: that the end of a file was read does not explain it, in whatever run: its directory is
// not the archive.
func TestAnEndIsNotTheFile(t *testing.T) {
	t.Parallel()
	root := folder(t, "a.zip")
	if err := root.WriteFile("a.zip", make([]byte, 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, rule := range []Rule{{}, {Since: 1}, {Since: later().UnixMilli(), Earlier: []File{{"r", "a.zip"}}}} {
		b := New(rule, later())
		f, errno := rootfs.New(root, b.Root("r")).OpenFile("a.zip", sys.O_RDONLY, 0)
		if errno != 0 {
			t.Fatal(errno)
		}
		if _, errno = f.Pread(make([]byte, 22), 100_000-22); errno != 0 {
			t.Fatal(errno)
		}
		_ = f.Close()
		if got := unread(b.Close(map[string]*os.Root{"r": root}, later)); !slices.Equal(got, []string{"a.zip"}) {
			t.Errorf("%+v: unread: got %v, want a.zip", rule, got)
		}
	}
}

// AC-02: in a run that has no cursor, a file that the guest calls read was opened, by whatever
// name, or is empty; likewise one that nothing explained in the run before. One that is known or damaged need not be.
func TestReadWithoutCursorsIsOpened(t *testing.T) {
	t.Parallel()
	root := folder(t, "opened", "never", "known", "damaged", "first known", "kept/linked")
	if err := root.WriteFile("empty", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := root.Symlink("kept/linked", "link"); err != nil {
		t.Fatal(err)
	}
	for _, rule := range []Rule{{Fresh: true}, {}, {Earlier: []File{{"r", "never"}, {"r", "opened"}, {"r", "known"}}}} {
		b := New(rule, later())
		fsys := rootfs.New(root, b.Root("r"))
		for _, name := range []string{"opened", "link"} {
			f, errno := fsys.OpenFile(name, sys.O_RDONLY, 0)
			if errno != 0 {
				t.Fatal(errno)
			}
			_ = f.Close()
		}
		for _, name := range []string{"opened", "never", "empty", "kept/linked"} {
			claim(b, name, abi.FileRead)
		}
		claim(b, "known", abi.FileKnown)
		claim(b, "damaged", abi.FileDamaged)
		claim(b, "first known", abi.FileKnown)
		var want []string
		if rule.Fresh || rule.Earlier != nil {
			want = []string{"never"}
		}
		if got := unread(b.Close(map[string]*os.Root{"r": root}, later)); !slices.Equal(got, want) {
			t.Errorf("%+v: unread: got %v, want %v", rule, got, want)
		}
	}
}

// AC-02: an archive of which entries are damaged is damaged, whatever word it has.
func TestDamagedEntries(t *testing.T) {
	t.Parallel()
	root := folder(t, "a.zip", "b.zip")
	b := New(Rule{}, later())
	b.Root("r")
	b.Claim([]byte(`{"files":[{"root":"r","path":"a.zip","as":"read","entries":{"count":2,"read":1,"damaged":1}},{"root":"r","path":"b.zip","as":"read","entries":{"count":2,"read":1,"known":1}}]}`))
	if r := b.Close(map[string]*os.Root{"r": root}, later); len(r.Amiss) != 1 || r.Amiss[0].Path != "a.zip" || r.Amiss[0].As != abi.FileDamaged {
		t.Errorf("got %+v, want a.zip damaged", r.Amiss)
	}
}

// AC-02: a pattern of the manifest does not hold for a file that the connector has not understood, also where it
// passes over the whole folder; the owner's does.
func TestAWordAgainstAPattern(t *testing.T) {
	t.Parallel()
	root := folder(t, "skills/t/skill.md", "skills/t/other", "skills/u/SKILL.md", "cache/a")
	for _, tc := range []struct {
		owners []manifest.Word
		want   []string
	}{
		{nil, []string{"skills/t/skill.md"}}, {[]manifest.Word{{Pattern: "skills/"}}, nil},
	} {
		b := New(Rule{Ignores: []abi.Ignore{{Pattern: "skills/"}, {Pattern: "cache/"}}, Owners: tc.owners}, later())
		b.Root("r")
		claim(b, "skills/t/skill.md", abi.FileUnknown)
		if got := unread(b.Close(map[string]*os.Root{"r": root}, later)); !slices.Equal(got, tc.want) {
			t.Errorf("%+v: unread: got %v, want %v", tc.owners, got, tc.want)
		}
	}
}

// AC-02: what a rule left alone is not read once the rule is gone.
func TestARuleIsTakenBack(t *testing.T) {
	t.Parallel()
	root := folder(t, "a.json", "new.json", "cache/b.json")
	now := later()
	for _, tc := range []struct {
		ignores []abi.Ignore
		want    []string
	}{
		{nil, []string{"cache/b.json", "new.json"}},
		{[]abi.Ignore{{Pattern: "cache/"}}, []string{"new.json"}},
	} {
		b := New(Rule{Since: now.UnixMilli(), Ruled: []string{"new.json", "cache/"}, Ignores: tc.ignores}, now.Add(time.Hour))
		b.Root("r")
		if got := unread(b.Close(map[string]*os.Root{"r": root}, func() time.Time { return now.Add(2 * time.Hour) })); !slices.Equal(got, tc.want) {
			t.Errorf("ignores %v: unread: got %v, want %v", tc.ignores, got, tc.want)
		}
	}
}

// AC-02: a file whose time is in the future did not arrive during the run.
func TestTheFuture(t *testing.T) {
	t.Parallel()
	root := folder(t, "a")
	old := time.Unix(1_000_000, 0)
	b := New(Rule{}, old)
	b.Root("r")
	if r := b.Close(map[string]*os.Root{"r": root}, func() time.Time { return old.Add(time.Hour) }); len(r.Unread) != 1 || r.Roots[0].New != 0 {
		t.Errorf("got %v and %d new, want a and 0", unread(r), r.Roots[0].New)
	}
}

// AC-02: only files are what systems leave behind. A folder of such a name has whatever is in it.
func TestFoldersAreNoLitter(t *testing.T) {
	t.Parallel()
	root := folder(t, "._Takeout/x.json", "desktop.ini/y.json", "._z", "sub/desktop.ini")
	b := New(Rule{}, later())
	b.Root("r")
	r := b.Close(map[string]*os.Root{"r": root}, later)
	if got, want := unread(r), []string{"._Takeout/x.json", "desktop.ini/y.json"}; !slices.Equal(got, want) || r.Roots[0].Rule != 2 {
		t.Errorf("got %v and %d by rule, want %v and 2", got, r.Roots[0].Rule, want)
	}
}

// AC-02: a link that leads to nothing in the folder is not passed over: the guest cannot read it,
// and can say so.
func TestLinksThatLeadAway(t *testing.T) {
	t.Parallel()
	root, other := folder(t, "a.json", "sub/b.json"), folder(t, "z.json")
	for name, to := range map[string]string{
		"in.json": "a.json", "in": "sub", "away": other.Name(), "away.json": filepath.Join(other.Name(), "z.json"), "nowhere": "none",
		"known": "none", "called read": "none", "x.lock": "none",
	} {
		if err := root.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	b := New(Rule{Ignores: []abi.Ignore{{Pattern: "*.lock"}}}, later())
	b.Root("r")
	for _, name := range []string{"a.json", "sub/b.json", "called read"} {
		claim(b, name, abi.FileRead)
	}
	claim(b, "known", abi.FileKnown)
	r := b.Close(map[string]*os.Root{"r": root}, later)
	if got, want := unread(r), []string{"away", "away.json", "called read", "nowhere"}; !slices.Equal(got, want) || r.Roots[0].Rule != 1 {
		t.Errorf("got %v and %d by rule, want %v and 1", got, r.Roots[0].Rule, want)
	}
	for _, u := range r.Unread {
		if u.Kind != KindLink {
			t.Errorf("%s: kind: got %q, want %q", u.Path, u.Kind, KindLink)
		}
	}
}

// AC-02: a listing that fails half-way is told, and what it had is judged.
func TestAListingFails(t *testing.T) {
	t.Parallel()
	root := folder(t, "sub/a", "sub/b")
	entries, err := fs.ReadDir(root.FS(), "sub")
	if err != nil {
		t.Fatal(err)
	}
	b := New(Rule{}, later())
	b.Root("r")
	w := &walk{books: b, now: later, left: maxWalked, report: &Report{}, root: root, counts: b.roots["r"]}
	w.list("sub", 1, func(int) ([]fs.DirEntry, error) { return entries[:1], errors.New("bad sector") })
	if got, want := unread(w.report), []string{"sub/a", "sub"}; !slices.Equal(got, want) || w.report.Unread[1].Kind != KindUnlisted {
		t.Errorf("got %+v, want %v, the last of which cannot be listed", w.report.Unread, want)
	}
}

// AC-02: a file whose name is spelled for the guest cannot be opened by it. It is not explained
// by one whose name is that spelling.
func TestTwoNamesOfOneSpelling(t *testing.T) {
	t.Parallel()
	root := folder(t, "a\xff.json", `a\xff.json`, "known\xff", "dir\xff/x.json", "ruled\xff/x.json")
	b := New(Rule{Ignores: []abi.Ignore{{Pattern: "ruled*"}}}, later())
	b.Root("r").Ended(`a\xff.json`)
	claim(b, `a\xff.json`, abi.FileRead)
	claim(b, `known\xff`, abi.FileKnown)
	r := b.Close(map[string]*os.Root{"r": root}, later)
	if got, want := unread(r), []string{`a\xff.json`, `dir\xff`}; !slices.Equal(got, want) || r.Roots[0].Rule != 1 {
		t.Errorf("got %q and %d by rule, want %q, and the folder that a rule names", got, r.Roots[0].Rule, want)
	}
}

// AC-01: what a guest cannot open by its name is told with what its owner can do about it, also where
// a rule covers the name that the file has on the disk.
func TestWhatCannotBeOpenedHasItsKind(t *testing.T) {
	t.Parallel()
	root := folder(t, ".home.ics.icloud", "sub/.a.tmp.icloud", "a\xff.json", "dir\xff/x.json")
	b := New(Rule{Ignores: []abi.Ignore{{Pattern: ".*"}, {Pattern: "*.tmp"}}}, later())
	b.Root("r")
	r := b.Close(map[string]*os.Root{"r": root}, later)
	var got []string
	for _, u := range r.Unread {
		got = append(got, u.Path+": "+u.Kind)
	}
	if want := []string{`a\xff.json: ` + KindMisnamed, `dir\xff: ` + KindMisnamed, "home.ics: " + KindAway}; !slices.Equal(got, want) || r.Roots[0].Rule != 1 {
		t.Errorf("got %q and %d by rule, want %q, and 1", got, r.Roots[0].Rule, want)
	}
}

// Books of so many files that some may pass for others say so.
func TestVagueBooks(t *testing.T) {
	t.Parallel()
	b := New(Rule{}, later())
	p := b.Root("r")
	for i := range maxExact + 1 {
		if b.explained.bloom != nil {
			t.Fatalf("vague with %d files", i)
		}
		p.Ended(strconv.Itoa(i))
	}
	if r := b.Close(nil, later); !r.Vague {
		t.Error("got exact books, want them vague")
	}
}

// The set of files that are vouched for is bounded, and has everything once it is full.
func TestFew(t *testing.T) {
	t.Parallel()
	var s few
	b := New(Rule{}, later())
	at := func(i int) uint64 { return hash(b.seed, "r", fmt.Sprint(i)) }
	for i := range maxExact - 1 {
		s.add(at(i))
	}
	wrong := 0
	for i := range maxExact - 1 {
		if !s.has(at(i)) {
			t.Fatalf("%d was added, and is not there", i)
		}
		if s.has(at(maxExact + i)) {
			wrong++
		}
	}
	if wrong > 3 {
		t.Errorf("%d that were not added are there, want at most 3", wrong)
	}
	if s.add(at(-1)); !s.full() || !s.has(at(-2)) || s.table != nil {
		t.Error("a full set: got less than everything, or its memory")
	}
}

// AC-02: a file that is written while the books look at the folders arrived during the run: it is
// new, and not unexplained.
func TestAFileArrivesDuringTheWalk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Error(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "z"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("a")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	b := New(Rule{}, time.Now().Add(-time.Hour))
	b.Root("r")
	w := &walk{books: b, now: time.Now, left: maxWalked, report: &Report{}, root: root, counts: b.roots["r"]}
	a, err := fs.Stat(root.FS(), "a")
	if err != nil {
		t.Fatal(err)
	}
	w.entry(".", fs.FileInfoToDirEntry(a), 0)
	write("z/late")
	w.folder("z", 1)
	if w.counts.New != 2 || len(w.report.Unread) != 0 {
		t.Errorf("got %+v and %v unread, want 2 new", *w.counts, unread(w.report))
	}
}

// Once the set of files that are vouched for has everything, the books are vague.
func TestBooksThatBelieveEverythingAreVague(t *testing.T) {
	t.Parallel()
	b := New(Rule{Fresh: true}, later())
	for i := 0; !b.vouched.full(); i++ {
		b.vouched.add(hash(b.seed, "r", strconv.Itoa(i)))
	}
	if r := b.Close(nil, later); !r.Vague {
		t.Error("got books that are not vague, want them to be")
	}
}
