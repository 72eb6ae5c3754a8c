package books

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// folder makes a root of files, which were there before the run.
func folder(t *testing.T, names ...string) *os.Root {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// later is after anything that a test has written.
func later() time.Time { return time.Now().Add(time.Hour) }

func unread(r *Report) []string {
	var names []string
	for _, u := range r.Unread {
		names = append(names, u.Path)
	}
	return names
}

func claim(b *Books, path, as string) {
	b.Claim(fmt.Appendf(nil, `{"type":"ACCOUNT","files":[{"root":"r","path":%q,"as":%q}]}`, path, as))
}

// AC-03: a file that the guest has read to its end, and then says it has read, is one that was
// read. A second claim of it adds nothing.
func TestAFileThatIsReadAndClaimedIsRead(t *testing.T) {
	t.Parallel()
	root := folder(t, "ended", "named", "known")
	b := New(Rule{}, later())
	p := b.Root("r")
	p.Ended("ended")
	p.Ended("known")
	claim(b, "known", abi.FileKnown)
	for range 2 {
		claim(b, "ended", abi.FileRead)
		claim(b, "named", abi.FileRead)
	}
	if c := b.Close(map[string]*os.Root{"r": root}, later).Roots[0]; c.Read != 2 || c.Known != 1 {
		t.Errorf("got %+v, want 2 read and 1 known", c)
	}
}

// AC-01, AC-02: the host finds by itself which files a run has not read to their end, and each
// file ends in one of five ways.
func TestEachFileEndsOnce(t *testing.T) {
	t.Parallel()
	root := folder(t, "whole", "part", "tail", "never", "sub/never", "known", "damaged", "unknown", "wholeunknown", "claimed",
		"x.lock", "sub/y.lock", "cache/deep/z", "state/a.bin", ".DS_Store", "sub/._b")
	b := New(Rule{Ignores: []abi.Ignore{{Pattern: "*.lock"}, {Pattern: "cache/"}, {Pattern: "state/*.bin"}}}, later())
	p := b.Root("r")
	p.Ended("whole")
	p.Ended("wholeunknown")
	claim(b, "known", abi.FileKnown)
	claim(b, "damaged", abi.FileDamaged)
	claim(b, "unknown", abi.FileUnknown)
	claim(b, "wholeunknown", abi.FileUnknown)
	claim(b, "claimed", abi.FileUnknown)
	claim(b, "./claimed", abi.FileRead)
	r := b.Close(map[string]*os.Root{"r": root}, later)
	if got, want := unread(r), []string{"never", "part", "sub/never", "tail", "unknown", "wholeunknown"}; !slices.Equal(got, want) {
		t.Errorf("unexplained: got %v, want %v", got, want)
	}
	c := r.Roots[0]
	if c.There != 15 || c.Known != 1 || c.Broken != 1 || c.Rule != 5 || c.Unexplained != 6 || c.Read != 1 {
		t.Errorf("got %+v, want 15 there, 1 known, 1 damaged, 5 by rule, 6 unexplained, 1 read by claim", c)
	}
	if r.Unread[0].Kind != KindJSON {
		t.Errorf("kind: got %q, want %q", r.Unread[0].Kind, KindJSON)
	}
}

// A guest that does not account is judged by what was read, and by what was known before.
func TestWithoutClaims(t *testing.T) {
	t.Parallel()
	root := folder(t, "a", "b", "c", "d")
	now := later()
	rule := Rule{Since: now.UnixMilli(), Earlier: []File{{"r", "b"}, {"r", "c"}}}
	b := New(rule, now)
	b.Root("r").Ended("c")
	r := b.Close(map[string]*os.Root{"r": root}, later)
	if got, want := unread(r), []string{"b"}; !slices.Equal(got, want) || r.Roots[0].Read != 3 {
		t.Errorf("got %v and %d read, want %v and 3", got, r.Roots[0].Read, want)
	}
}

// A file that changed since the last whole books, and was not read, is not explained by them.
func TestChangedSince(t *testing.T) {
	t.Parallel()
	root := folder(t, "a")
	b := New(Rule{Since: 1}, later())
	b.Root("r")
	if r := b.Close(map[string]*os.Root{"r": root}, later); len(r.Unread) != 1 {
		t.Errorf("got %v, want a", unread(r))
	}
}

// A file that appears while the guest runs is left to the next run.
func TestArrives(t *testing.T) {
	t.Parallel()
	root := folder(t, "a")
	b := New(Rule{}, time.Unix(0, 0))
	b.Root("r")
	if r := b.Close(map[string]*os.Root{"r": root}, later); len(r.Unread) != 0 || r.Roots[0].New != 1 {
		t.Errorf("got %v and %d new, want no file and 1", unread(r), r.Roots[0].New)
	}
}

// A folder that cannot be listed is named: what is in it is not known.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may list every folder")
	}
	root := folder(t, "sub/a")
	if err := root.Chmod("sub", 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Chmod("sub", 0o700) })
	b := New(Rule{}, later())
	b.Root("r")
	if r := b.Close(map[string]*os.Root{"r": root}, later); len(r.Unread) != 1 || r.Unread[0].Kind != KindUnlisted {
		t.Errorf("got %v, want sub", r.Unread)
	}
}

// AC-16: a set of a million names takes less than a megabyte, has every name that was added,
// and takes few others for one.
func TestMillion(t *testing.T) {
	t.Parallel()
	b := New(Rule{}, later())
	const n = 1_000_000
	for i := range n {
		b.explained.add(hash(b.seed, "in", strconv.Itoa(i)))
	}
	const asked = n / 50
	wrong := 0
	for i := range asked {
		if !b.explained.has(hash(b.seed, "in", strconv.Itoa(i*50))) {
			t.Fatalf("%d was added, and is not there", i*50)
		}
		if b.explained.has(hash(b.seed, "out", strconv.Itoa(i))) {
			wrong++
		}
	}
	if size := len(b.explained.bloom) + 8*len(b.explained.table); size >= 1<<20 || wrong > asked/20 {
		t.Errorf("%d bytes, %d of %d others, want less than %d and %d", size, wrong, asked, 1<<20, asked/20)
	}
}

// Below its bound the set is exact.
func TestExact(t *testing.T) {
	t.Parallel()
	var s set
	b := New(Rule{}, later())
	for i := range maxExact {
		if !s.add(hash(b.seed, "r", strconv.Itoa(i))) {
			t.Fatalf("%d is new, and was found", i)
		}
	}
	for i := range maxExact {
		if s.add(hash(b.seed, "r", strconv.Itoa(i))) {
			t.Fatalf("%d was added, and is new", i)
		}
		if s.has(hash(b.seed, "out", strconv.Itoa(i))) {
			t.Fatalf("%d was not added, and was found", i)
		}
	}
}

func FuzzClaim(f *testing.F) {
	f.Add([]byte(`{"type":"ACCOUNT","files":[{"root":"r","path":"a","as":"read"}]}`))
	f.Add([]byte(`{"files":[{"root":"r","path":"../..","as":"unknown"},{"root":"s","path":"","as":"?"}]}`))
	f.Fuzz(func(_ *testing.T, p []byte) {
		b := New(Rule{}, time.Unix(0, 0))
		b.Root("r")
		b.Claim(p)
	})
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"PK\x03\x04": KindZip, "\x1f\x8b\x08": KindGzip, "\x28\xb5\x2f\xfd": KindZstd, "SQLite format 3\x00": KindSQLite,
		"\x89PNG\r\n": KindImage, "%PDF-1.7": KindPDF, " [1]": KindJSON, "\xef\xbb\xbf{}": KindJSON, "hello": KindText, "a\x00b": KindOther,
		"\xff\xfe\x00\x01": KindOther, "RIFF....WEBP": KindImage, "\x00\x00\x00\x18ftypheic": KindImage,
	} {
		if got := kindOfBytes([]byte(head)); got != want {
			t.Errorf("%q: got %q, want %q", head, got, want)
		}
	}
}
