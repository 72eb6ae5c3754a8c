package vault

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"filippo.io/age"
)

func TestKeyFileMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	openIn(t, dir)
	info, err := os.Stat(filepath.Join(dir, KeyFile))
	if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf(`got %v %v, want no error && (runtime.GOOS == "windows" || info.Mode() == 0o600)`, info.Mode(), err)
	}
	if found, err := CheckFile(dir); !found || err != nil {
		t.Errorf("got %v %v, want found && no error", found, err)
	}
	if found, err := CheckFile(t.TempDir()); found || err != nil {
		t.Errorf("no file: %v %v, want !found && no error", found, err)
	}
}

// age's own tool reads the key, so a secret can be had without this program.
func TestKeyFileIsAges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := openIn(t, dir)
	f, err := os.Open(v.Place())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if ids, err := age.ParseIdentities(f); err != nil || len(ids) != 1 {
		t.Errorf("%d keys, %v, want no error && len(ids) == 1", len(ids), err)
	}
}

func TestUnsafeKeyFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	for name, spoil := range map[string]func(path string) error{
		"readable by the group":  func(p string) error { return os.Chmod(p, 0o640) },
		"readable by everybody":  func(p string) error { return os.Chmod(p, 0o604) },
		"writable by others":     func(p string) error { return os.Chmod(p, 0o602) },
		"executable by others":   func(p string) error { return os.Chmod(p, 0o601) },
		"a link to the key":      func(p string) error { return linked(p, p+".real") },
		"a folder":               func(p string) error { return replaced(p, func() error { return os.Mkdir(p, 0o700) }) },
		"a link to nothing":      func(p string) error { return replaced(p, func() error { return os.Symlink(p+".none", p) }) },
		"a link to another file": func(p string) error { return replaced(p, func() error { return os.Symlink("/dev/null", p) }) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := openIn(t, dir).Place()
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			// Also where a new key could be made: it would hide the trouble.
			for _, o := range []Options{{Sealed: true}, {Create: true}} {
				o.Dir, o.Mode, o.Keyring = dir, ModeAuto, &ring{}
				_, err := Open(t.Context(), o)
				wants(t, err, CodeKeyUnsafe)
			}
			found, err := CheckFile(dir)
			wants(t, err, CodeKeyUnsafe)
			if !found {
				t.Error("it is not there")
			}
		})
	}
}

func linked(path, target string) error {
	if err := os.Rename(path, target); err != nil {
		return err
	}
	return os.Symlink(target, path)
}

func replaced(path string, by func() error) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return by()
}

func TestAnothersKeyFile(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only the superuser can give a file away")
	}
	path := open(t).Place()
	if err := os.Lchown(path, 12345, 12345); err != nil {
		t.Skip("not here:", err)
	}
	_, err := readFile(path)
	wants(t, err, CodeKeyUnsafe)
}

func TestUnreadableKeyFiles(t *testing.T) {
	t.Parallel()
	one, two := open(t).identity.String(), open(t).identity.String()
	for name, text := range map[string]string{
		"empty":         "",
		"only comments": "# nothing\n",
		"two keys":      one + "\n" + two + "\n",
		"a typing slip": strings.Replace(one, one[20:21], "b", 1), // b is in no key
		"cut short":     one[:len(one)-5],
		"a public key":  "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
		"huge":          "#" + strings.Repeat("x", maxKeyFile) + "\n" + one + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, KeyFile), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), Options{Dir: dir, Mode: ModeAuto, Create: true})
			wants(t, err, CodeKeyUnreadable)
			if strings.Contains(strings.ToUpper(err.Error()), "SECRET-KEY") || strings.Contains(err.Error(), one[20:40]) {
				t.Error("the error tells the key")
			}
		})
	}
}

func TestFolderThatTakesNoKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(file, "x"), 0o700); err == nil {
		t.Fatal("a folder below a file")
	}
	_, err := createFile(filepath.Join(file, KeyFile), open(t).identity)
	wants(t, err, CodeKeyUnwritable)
}

// A key that another process put there first is the one that counts.
func TestCreateFileTwice(t *testing.T) {
	t.Parallel()
	first, path := open(t), filepath.Join(t.TempDir(), KeyFile)
	if got, err := createFile(path, first.identity); err != nil || got.String() != first.identity.String() {
		t.Fatalf("createFile(path, first.identity): got %+v, want no error && got.String() == first.identity.String()", err)
	}
	if got, err := createFile(path, open(t).identity); err != nil || got.String() != first.identity.String() {
		t.Errorf("the second key won: %v, want no error && got.String() == first.identity.String()", err)
	}
	if err := writeNew(path, []byte("x")); err == nil {
		t.Error("a file was overwritten")
	}
}

func FuzzKeyFile(f *testing.F) {
	dir := f.TempDir()
	v, err := Open(f.Context(), Options{Dir: dir, Mode: ModeFile, Create: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(v.identity.String()))
	f.Add([]byte("# x\r\n\n" + v.identity.String() + "\r\n"))
	f.Add([]byte("AGE-SECRET-KEY-1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if id := parseKey(text); id != nil && !strings.Contains(strings.ToUpper(string(text)), id.String()) {
			t.Fatalf("a key that is not in %q, want id == nil || strings.Contains(strings.ToUpper(string(text)), id.String())", text)
		}
	})
}
