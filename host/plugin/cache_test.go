package plugin

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

func cached(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "wazero-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Code in the cache folder is used, and damaged code is compiled again rather than run
// or reported.
func TestCache(t *testing.T) {
	t.Parallel()
	f := connector(seq(zero, i32(3), call("emit"), drop)).file()
	for _, mode := range []string{IsolationProcess, IsolationInline} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "cache")
			var compiled []string
			o := Options{
				Isolation: mode, CacheDir: dir, Limits: testLimits(),
				Compiling: func(f *File) { compiled = append(compiled, f.Name) },
			}
			run := func() {
				t.Helper()
				h := &scripted{}
				if exit := collect(t, o, f, Grant{}, h); exit.Err != nil || h.emits != 1 {
					t.Fatalf("collect(t, o, f, Grant{}, h): got %+v, want exit.Err == nil && h.emits == 1", exit)
				}
			}
			run()
			run()
			if len(compiled) != 1 || compiled[0] != f.Name {
				t.Errorf("told of compiling %q, want %q once", compiled, f.Name)
			}
			files := cached(t, dir)
			if len(files) == 0 {
				t.Fatal("nothing was cached")
			}
			info, err := os.Stat(dir)
			if err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("got %+v, %+v, want no error && info.Mode().Perm() == 0o700", info.Mode(), err)
			}
			whole, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			writing := filepath.Join(filepath.Dir(files[0]), "other.1.tmp") // as another process that compiles the module
			if err := os.WriteFile(writing, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			other := filepath.Join(filepath.Dir(filepath.Dir(files[0])), "wazero-v0.0.1-amd64-linux") // an older engine's
			if err := os.Mkdir(other, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(files[0], filepath.Join(other, filepath.Base(files[0]))); err != nil {
				t.Fatal(err)
			}
			run()
			if n := len(cached(t, dir)); n != 3 {
				t.Errorf("got %d files of both engines and of another process, want the older one left and the code compiled again", n)
			}
			for _, damage := range [][]byte{{}, whole[:len(whole)/2], make([]byte, len(whole)), []byte("WAZEVO")} {
				if err := os.WriteFile(files[0], damage, 0o600); err != nil {
					t.Fatal(err)
				}
				run()
				again, err := os.ReadFile(files[0])
				if err != nil || len(again) != len(whole) {
					t.Fatalf("%d bytes were cached instead of %d: %v, want no error && len(again) == len(whole)", len(again), len(whole), err)
				}
				if _, err := os.Stat(writing); err != nil {
					t.Errorf("got %v, want what another process compiles left alone", err)
				}
			}
		})
	}
}

// The code of the module that ended last in this process is there for its next run, and for no
// other module. A run of another module that is killed changes nothing about that.
func TestCodeIsKeptForTheNextRun(t *testing.T) {
	t.Parallel()
	limits := testLimits()
	limits.Grace = time.Millisecond
	e, err := NewEngine(Options{Isolation: IsolationInline, CacheDir: sharedCache(), Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	once := connector(seq(zero, i32(3), call("emit"), drop)).file()
	twice := connector(seq(zero, i32(3), call("emit"), drop, zero, i32(3), call("emit"), drop)).file()
	loops := connector(seq(zero, i32(3), call("emit"), drop, loop(nil))).file()
	for n, c := range []struct {
		file  *File
		emits int
		idle  bool // its code is there when it is loaded
	}{{once, 1, false}, {once, 1, true}, {twice, 2, false}, {twice, 2, true}, {loops, 1, false}, {once, 1, false}, {once, 1, true}} {
		if got := e.idle != nil && e.idleOf == c.file.SHA256; got != c.idle {
			t.Errorf("run %d: its code is there: %t, want %t", n, got, c.idle)
		}
		g, err := e.Load(t.Context(), c.file)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		h := &scripted{}
		if c.file == loops {
			h.onEmit = func([]byte) error { cancel(); return nil }
		}
		exit := g.Collect(ctx, Grant{}, h)
		cancel()
		if h.emits != c.emits || (exit.Err != nil) != (c.file == loops) {
			t.Errorf("run %d: got %+v and %d records, want %d", n, exit, h.emits, c.emits)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
	g, err := e.Load(t.Context(), once)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil || g.Close() != nil || e.idle != nil {
		t.Errorf("after the engine's end: got %v and code %v, want it freed", err, e.idle)
	}
}

func TestEngineOptions(t *testing.T) {
	t.Parallel()
	_, err := NewEngine(Options{Isolation: "container"})
	wantCode(t, err, abi.CodeConfigInvalid, "container")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = NewEngine(Options{CacheDir: file})
	wantCode(t, err, abi.CodeConfigInvalid, file)
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	e, err := NewEngine(Options{CacheDir: open, Limits: Limits{Grace: 1 << 40}})
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(open); info.Mode().Perm() != 0o700 {
		t.Errorf("os.Stat(open): got %+v, want info.Mode().Perm() == 0o700", info.Mode())
	}
	if l := e.options.Limits; l.Grace != MaxGrace || l.Run != DefaultLimits().Run {
		t.Errorf("e.options.Limits: got %+v, want l.Grace == MaxGrace && l.Run == DefaultLimits().Run", l)
	}
}
