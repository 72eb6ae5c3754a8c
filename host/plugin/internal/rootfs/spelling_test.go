package rootfs

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// A listing is whole whatever the names in it: each entry has a number, so that
// libc asks for the status of none, and a name in UTF-8.
func TestListingOfBadNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("its file systems refuse such names")
	}
	fs, dir := open(t)
	for _, name := range []string{"a\xe9.ics", "b\xc3", "c\xe9dir", `d\xe9`} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	entries := listed(t, fs)
	var names []string
	numbers := map[uint64]bool{}
	for _, e := range entries {
		names = append(names, e.Name)
		numbers[e.Ino] = true
	}
	slices.Sort(names)
	if want := []string{`a\xe9.ics`, `b\xc3`, `c\xe9dir`, `d\xe9`, "file", "out", "sub"}; !slices.Equal(names, want) {
		t.Errorf("listed %q, want %q", names, want)
	}
	if numbers[0] || len(numbers) != len(entries) {
		t.Errorf("inode numbers %v, want %d above 0", numbers, len(entries))
	}
	answers(t, fs, map[string]sys.Errno{
		`a\xe9.ics`: sys.EINVAL, `b\xc3`: sys.EINVAL, `c\xe9dir/x`: sys.ENOENT, `d\xe9`: 0, `e\xe9`: sys.ENOENT, `a\x65`: sys.ENOENT, `a\xe`: sys.ENOENT,
	})
}

// A file that iCloud has taken off this machine is listed under its own name and cannot be read, so
// that nobody takes it for deleted.
func TestFilesThatAreAway(t *testing.T) {
	t.Parallel()
	fs, dir := open(t)
	for _, name := range []string{".home.ics.icloud", "back.ics", ".back.ics.icloud", ".icloud", "x.icloud", "sub/.in.ics.icloud"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("bplist00"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".dir.icloud"), 0o700); err != nil {
		t.Fatal(err)
	}
	entries := listed(t, fs)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	if want := []string{".back.ics.icloud", ".dir.icloud", ".icloud", "back.ics", "file", "home.ics", "out", "sub", "x.icloud"}; !slices.Equal(names, want) {
		t.Errorf("listed %q, want %q", names, want)
	}
	answers(t, fs, map[string]sys.Errno{
		"home.ics": sys.EIO, "sub/in.ics": sys.EIO, "back.ics": 0, "other.ics": sys.ENOENT, "dir": sys.ENOENT, ".home.ics.icloud": 0,
	})
}

// listed returns the entries of the folder.
func listed(t *testing.T, fs *FS) []sys.Dirent {
	t.Helper()
	d, errno := fs.OpenFile(".", 0, 0)
	if errno != 0 {
		t.Fatalf("got %v, want the folder", errno)
	}
	defer d.Close()
	entries, errno := d.Readdir(-1)
	if errno != 0 {
		t.Fatalf("got %v, want a listing", errno)
	}
	return entries
}

// answers looks at names and opens them, and wants one answer for each.
func answers(t *testing.T, fs *FS, names map[string]sys.Errno) {
	t.Helper()
	for name, want := range names {
		_, stat := fs.Stat(name)
		_, lstat := fs.Lstat(name)
		file, opened := fs.OpenFile(name, sys.O_RDONLY, 0)
		if stat != want || lstat != want || opened != want {
			t.Errorf("%s: stat %v, lstat %v, open %v, want %v", name, stat, lstat, opened, want)
		}
		if file != nil {
			_ = file.Close()
		}
	}
}

func FuzzSpell(f *testing.F) {
	f.Add("a\xe9")
	f.Add(`\x\xe9\xe`)
	f.Fuzz(func(t *testing.T, name string) {
		spelled := Spell(name)
		switch {
		case !utf8.ValidString(spelled):
			t.Errorf("%q is spelled %q, want UTF-8", name, spelled)
		case utf8.ValidString(name) && spelled != name:
			t.Errorf("%q is spelled %q, want it as it is", name, spelled)
		case unspell(spelled) != unspell(name):
			t.Errorf("%q is spelled %q, which stands for %q", name, spelled, unspell(spelled))
		}
	})
}
