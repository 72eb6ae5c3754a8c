package plugin

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// tree makes a granted folder inside one that is not, with every way out of it
// that a link or a path can take.
func tree(t *testing.T) (root string) {
	t.Helper()
	outside := t.TempDir()
	root = filepath.Join(outside, "root")
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(root, "sub", "deep"), 0o700))
	must(os.WriteFile(filepath.Join(outside, "secret"), []byte("swordfish"), 0o600))
	must(os.WriteFile(filepath.Join(root, "a.txt"), []byte("hello world"), 0o600))
	must(os.WriteFile(filepath.Join(root, "sub", "b.txt"), []byte("below"), 0o600))
	must(os.WriteFile(filepath.Join(root, "empty"), nil, 0o600))
	must(os.Symlink("sub/b.txt", filepath.Join(root, "inside")))
	must(os.Symlink("../secret", filepath.Join(root, "escape")))
	must(os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "absolute")))
	must(os.Symlink(filepath.Join(root, "a.txt"), filepath.Join(root, "absolute-inside")))
	must(os.Symlink("..", filepath.Join(root, "up")))
	must(os.Symlink("../..", filepath.Join(root, "sub", "upup")))
	must(os.Symlink("loop", filepath.Join(root, "loop")))
	must(os.Symlink("nowhere", filepath.Join(root, "dangling")))
	must(mkfifo(filepath.Join(root, "pipe")))
	return root
}

func filesGrant(roots ...Mount) Grant {
	return Grant{Bindings: map[string]bool{abi.BindingFilesystem: true}, Roots: roots}
}

// see runs commands in the files guest and returns what it logged.
func see(t *testing.T, o Options, grant Grant, commands ...string) []string {
	t.Helper()
	h := &scripted{start: strings.Join(commands, "\n")}
	exit := collect(t, o, goGuest(t, "files"), grant, h)
	if exit.Err != nil || !exit.Returned || exit.Code != 0 {
		t.Fatalf("got %+v, want exit.Err == nil && exit.Returned && exit.Code == 0", exit)
	}
	return h.logs
}

// Invariant 6: a guest reads what is in its root, and nothing else, by no path
// and through no link; and a walk that meets a way out goes on.
func TestFilesystem(t *testing.T) {
	t.Parallel()
	goGuest(t, "files")
	root := tree(t)
	eachIsolation(t, func(t *testing.T, o Options) {
		got := see(t, o, filesGrant(Mount{"home", root}), "walk /home")
		want := []string{
			"/home d d", "/home/a.txt - -", "/home/absolute L L", "/home/absolute-inside L L", "/home/dangling L L",
			"/home/empty - -", "/home/escape L L", "/home/inside L L", "/home/loop L L", "/home/pipe D D",
			"/home/sub d d", "/home/sub/b.txt - -", "/home/sub/deep d d", "/home/sub/upup L L", "/home/up L L",
			"walked ok",
		}
		if !slices.Equal(got, want) {
			t.Errorf("the walk saw\n%s, want slices.Equal(got, want)", strings.Join(got, "\n"))
		}
		cases := [][2]string{
			{"read /home/a.txt", `/home/a.txt ok 11 "hello world"`},
			{"read /home/empty", `/home/empty ok 0 ""`},
			{"read /home/inside", `/home/inside ok 5 "below"`},
			{"read /home/sub/../a.txt", `/home/sub/../a.txt ok 11 "hello world"`},
			{"read /home/escape", `/home/escape permission 0 ""`},
			{"read /home/absolute", `/home/absolute permission 0 ""`},
			{"read /home/absolute-inside", `/home/absolute-inside permission 0 ""`},
			{"read /home/up/secret", `/home/up/secret permission 0 ""`},
			{"read /home/sub/upup/secret", `/home/sub/upup/secret permission 0 ""`},
			{"read /home/dangling", `/home/dangling not exist 0 ""`},
			{"read /home/missing", `/home/missing not exist 0 ""`},
			{"read /home/pipe", `/home/pipe permission 0 ""`},
			{"stat /home/escape", "/home/escape permission"},
			{"stat /home/sub", "/home/sub ok"},
			{"link /home/escape", "/home/escape ok ../secret"},
			{"link /home/inside", "/home/inside ok sub/b.txt"},
			{"seek /home/a.txt", "seek ok rld"},
			{"pread /home/a.txt", `/home/a.txt ok "world"`},
			{"pread /home/empty", `/home/empty EOF ""`},
			{"pread /home/escape", `/home/escape permission ""`},
			{"pread /home/sub", `/home/sub read /home/sub: Is a directory ""`},
			{"raw /home/sub/upup/../secret", "/home/sub/upup/../secret not exist"}, // cleaned by name: /home/sub/secret
		}
		var commands []string
		for _, c := range cases {
			commands = append(commands, c[0])
		}
		got = see(t, o, filesGrant(Mount{"home", root}), commands...)
		for i, c := range cases {
			if i >= len(got) || got[i] != c[1] {
				t.Errorf("%s: %q, want %q", c[0], got[min(i, len(got)-1)], c[1])
			}
		}
		commands = []string{
			"read /home/../secret", "read /secret", "read /etc/hostname", "read ../secret", "read /home/../../etc/passwd",
			"raw /home/../secret", "raw /home/sub/../../secret", "raw ../secret", "raw /home//../secret", "stat /", "read /proc/self/environ",
		}
		for i, l := range see(t, o, filesGrant(Mount{"home", root}), commands...) {
			if strings.Contains(l, " ok") || strings.Contains(l, "swordfish") {
				t.Errorf(`%s: got %q, want !strings.Contains(l, " ok") && !strings.Contains(l, "swordfish")`, commands[i], l)
			}
		}
		for _, l := range see(t, o, filesGrant(Mount{"home", root}), "write /home/new", "write /home/a.txt") {
			if strings.HasSuffix(l, " ok") {
				t.Errorf(`wrote: %s, want !strings.HasSuffix(l, " ok")`, l)
			}
		}
		if _, err := os.Stat(filepath.Join(root, "new")); err == nil {
			t.Error("the guest made a file")
		}
	})
}

// A name that is not UTF-8 hides nothing: it is listed in a spelling that is,
// and a guest that asks for it hears that it cannot, not that it is gone.
func TestNameOutsideUTF8(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("its file systems refuse such names")
	}
	goGuest(t, "files")
	root := t.TempDir()
	for _, name := range []string{"a", "b\xe9", "c"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	eachIsolation(t, func(t *testing.T, o Options) {
		got := see(t, o, filesGrant(Mount{"home", root}), "walk /home", `read /home/b\xe9`, `stat /home/b\xe9`, "read /home/c")
		want := []string{
			"/home d d", "/home/a - -", `/home/b\xe9 info lstat /home/b\xe9: Invalid argument`, "/home/c - -", "walked ok",
			`/home/b\xe9 open /home/b\xe9: Invalid argument 0 ""`, `/home/b\xe9 stat /home/b\xe9: Invalid argument`, `/home/c ok 1 "c"`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestSeveralRoots(t *testing.T) {
	t.Parallel()
	goGuest(t, "files")
	one, two := tree(t), tree(t)
	if err := os.WriteFile(filepath.Join(two, "a.txt"), []byte("the other"), 0o600); err != nil {
		t.Fatal(err)
	}
	eachIsolation(t, func(t *testing.T, o Options) {
		got := see(t, o, filesGrant(Mount{"one", one}, Mount{"one_more", two}), "read /one/a.txt", "read /one_more/a.txt", "read /two/a.txt")
		if len(got) != 3 || !strings.Contains(got[0], "hello world") || !strings.Contains(got[1], "the other") || strings.Contains(got[2], "ok") {
			t.Errorf(`got %q, want len(got) == 3 && strings.Contains(got[0], "hello world") && strings.Contains(got[1], "the other") && !strings.Contains(got[2], "ok")`, got)
		}
	})
}

// RT-06.1: a module that uses files starts when the binding is granted; when
// it is not, it is refused by the binding's name.
func TestFilesystemBinding(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "files")
	eachIsolation(t, func(t *testing.T, o Options) {
		g := mustLoad(t, o, f)
		if _, err := g.Describe(t.Context()); err != nil {
			t.Fatal(err) // and it saw no folder, no argument, no variable
		}
		if err := CheckImports(g.Info(), &abi.Manifest{}); abi.CodeOf(err) != abi.CodePluginImportRefused {
			t.Errorf("CheckImports(g.Info(), &abi.Manifest{}): got %+v, want abi.CodeOf(err) == abi.CodePluginImportRefused", err)
		}
		exit := g.Collect(t.Context(), Grant{}, &scripted{})
		wantCode(t, exit.Err, abi.CodePluginImportRefused, abi.BindingFilesystem, "path_open")
		see(t, o, filesGrant(), "stat /home")
	})
}

func TestMountRefusals(t *testing.T) {
	t.Parallel()
	f := goGuest(t, "files")
	root := tree(t)
	eachIsolation(t, func(t *testing.T, o Options) {
		for _, name := range []string{"", ".", "..", "a/b", "/a", `a\b`} {
			exit := collect(t, o, f, filesGrant(Mount{name, root}), &scripted{})
			wantCode(t, exit.Err, abi.CodeRootInvalid)
		}
		exit := collect(t, o, f, filesGrant(Mount{"a", root}, Mount{"a", root}), &scripted{})
		wantCode(t, exit.Err, abi.CodeRootInvalid)
		exit = collect(t, o, f, filesGrant(Mount{"a", filepath.Join(root, "missing")}), &scripted{})
		wantCode(t, exit.Err, abi.CodeRootInvalid, "missing")
		exit = collect(t, o, f, filesGrant(Mount{"a", filepath.Join(root, "a.txt")}), &scripted{})
		wantCode(t, exit.Err, abi.CodeRootInvalid)
		exit = collect(t, o, f, Grant{Roots: []Mount{{"a", root}}}, &scripted{})
		if exit.Err == nil {
			t.Error("a root was mounted without its binding")
		}
	})
}
