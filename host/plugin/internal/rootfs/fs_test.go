package rootfs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/experimental/sys"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open makes a root beside a secret, with one link out and one link in.
func open(t testing.TB) (*FS, string) {
	t.Helper()
	outside := t.TempDir()
	dir := filepath.Join(outside, "root")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "sub"), 0o700),
		os.WriteFile(filepath.Join(outside, "secret"), []byte("swordfish"), 0o600),
		os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o600),
		os.Symlink("../secret", filepath.Join(dir, "out")),
		os.Symlink("../file", filepath.Join(dir, "sub", "in")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return New(root, nil), dir
}

func TestOpenFlags(t *testing.T) {
	t.Parallel()
	fs, _ := open(t)
	for _, c := range []struct {
		name string
		flag sys.Oflag
		want sys.Errno
	}{
		{"file", sys.O_RDONLY, 0}, {"file", sys.O_RDONLY | sys.O_NOFOLLOW, 0}, {"/file", 0, 0}, {"sub/in", 0, 0},
		{"sub/in", sys.O_NOFOLLOW, sys.ELOOP}, {"out", sys.O_NOFOLLOW, sys.ELOOP}, {"out", 0, sys.EPERM},
		{"file", sys.O_RDWR, sys.EROFS}, {"file", sys.O_WRONLY, sys.EROFS}, {"file", sys.O_APPEND, sys.EROFS},
		{"file", sys.O_TRUNC, sys.EROFS}, {"file", sys.O_CREAT, sys.EROFS}, {"file/", 0, sys.ENOTDIR},
		{"file", sys.O_DIRECTORY, sys.ENOTDIR}, {"missing", sys.O_CREAT | sys.O_RDWR, sys.ENOENT},
		{"sub", sys.O_DIRECTORY, 0}, {"sub/", 0, 0}, {"sub", sys.O_RDWR | sys.O_DIRECTORY, 0}, {"sub", sys.O_CREAT, sys.EROFS},
		{".", 0, 0}, {"/", 0, 0}, {"..", 0, sys.EPERM}, {"sub/../..", 0, sys.EPERM}, {"../secret", 0, sys.EPERM},
		{"file\x00x", 0, sys.EINVAL}, {strings.Repeat("x", 5000), 0, sys.ENAMETOOLONG},
	} {
		f, errno := fs.OpenFile(c.name, c.flag, 0)
		if errno != c.want {
			t.Errorf("%q with %x: %v, want %v", c.name, c.flag, errno, c.want)
		}
		if errno == 0 {
			if e := f.Close(); e != 0 {
				t.Errorf("f.Close(): got %+v, want e == 0", e)
			}
		}
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	fs, dir := open(t)
	for name, errno := range map[string]sys.Errno{
		"mkdir": fs.Mkdir("d", 0o700), "chmod": fs.Chmod("file", 0), "rename": fs.Rename("file", "g"),
		"rmdir": fs.Rmdir("sub"), "unlink": fs.Unlink("file"), "link": fs.Link("file", "g"),
		"symlink": fs.Symlink("file", "g"), "utimens": fs.Utimens("file", 0, 0),
	} {
		if errno != sys.EROFS {
			t.Errorf("%s: errno: got %v, want %v", name, errno, sys.EROFS)
		}
	}
	f, errno := fs.OpenFile("file", 0, 0)
	if errno != 0 {
		t.Fatalf("got %+v, want errno == 0", errno)
	}
	defer f.Close()
	if _, e := f.Write([]byte("x")); e == 0 {
		t.Error("wrote")
	}
	if _, e := f.Pwrite([]byte("x"), 0); e == 0 {
		t.Error("wrote")
	}
	if f.Truncate(0) == 0 || f.SetAppend(true) == 0 || f.Utimens(0, 0) == 0 {
		t.Error("changed")
	}
	if b, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(b) != "content" {
		t.Errorf(`os.ReadFile(filepath.Join(dir, "file")): got %+v, %+v, want no error && string(b) == "content"`, string(b), err)
	}
}

func TestReading(t *testing.T) {
	t.Parallel()
	fs, _ := open(t)
	f, _ := fs.OpenFile("file", 0, 0)
	defer f.Close()
	b := make([]byte, 4)
	if n, e := f.Read(b); n != 4 || e != 0 || string(b) != "cont" {
		t.Errorf(`f.Read(b): got %+v, %+v, want n == 4 && e == 0 && string(b) == "cont"`, n, e)
	}
	if n, e := f.Pread(b, 5); n != 2 || e != 0 {
		t.Errorf("f.Pread(b, 5): got %+v, %+v, want n == 2 && e == 0", n, e)
	}
	if n, e := f.Pread(b, -1); n != 0 || e != sys.EINVAL {
		t.Errorf("f.Pread(b, -1): got %+v, %+v, want n == 0 && e == sys.EINVAL", n, e)
	}
	if at, e := f.Seek(-1, 2); at != 6 || e != 0 {
		t.Errorf("f.Seek(-1, 2): got %+v, %+v, want at == 6 && e == 0", at, e)
	}
	if n, e := f.Read(b); n != 1 || e != 0 {
		t.Errorf("f.Read(b): got %+v, %+v, want n == 1 && e == 0", n, e)
	}
	if n, e := f.Read(b); n != 0 || e != 0 {
		t.Error("the end of a file is no error", n, e)
	}
	if _, e := f.Seek(0, 9); e != sys.EINVAL {
		t.Errorf("f.Seek(0, 9): got %+v, want e == sys.EINVAL", e)
	}
	if st, e := f.Stat(); st.Size != 7 || e != 0 {
		t.Errorf("f.Stat(): got %+v, %+v, want st.Size == 7 && e == 0", st, e)
	}
}

// A listing can be read in pieces, and again from the start.
func TestListing(t *testing.T) {
	t.Parallel()
	fs, _ := open(t)
	d, errno := fs.OpenFile(".", 0, 0)
	if errno != 0 {
		t.Fatalf("got %+v, want errno == 0", errno)
	}
	defer d.Close()
	for range 2 {
		names := map[string]bool{}
		for {
			ents, e := d.Readdir(2)
			if e != 0 {
				t.Fatalf("got %+v, want e == 0", e)
			}
			if len(ents) == 0 {
				break
			}
			for _, e := range ents {
				names[e.Name] = true
			}
		}
		if len(names) != 3 {
			t.Errorf("got %+v, want len(names) == 3", names)
		}
		if _, e := d.Seek(0, 0); e != 0 {
			t.Errorf("d.Seek(0, 0): got %+v, want e == 0", e)
		}
	}
	if _, e := d.Seek(1, 0); e == 0 {
		t.Error("sought into a listing")
	}
}

// FuzzPath tries any path on every entry point: none reads the secret.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"file", "../secret", "out", "sub/../../secret", "/..//secret", "sub/in", "\x00", "sub/./../out"} {
		f.Add(s, uint32(0))
	}
	fs, _ := open(f)
	f.Fuzz(func(t *testing.T, p string, flag uint32) {
		_, _ = fs.Stat(p)
		_, _ = fs.Lstat(p)
		_, _ = fs.Readlink(p)
		file, errno := fs.OpenFile(p, sys.Oflag(flag), 0)
		if errno != 0 {
			return
		}
		b := make([]byte, 100)
		if n, _ := file.Read(b); strings.Contains(string(b[:n]), "sword") {
			t.Fatalf(`%q leads out, want !strings.Contains(string(b[:n]), "sword")`, p)
		}
		_ = file.Close()
	})
}
