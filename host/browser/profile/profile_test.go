package profile

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

func hold(t *testing.T, dir, profile string, wait time.Duration) (*Held, error) {
	t.Helper()
	h, err := Hold(t.Context(), dir, profile, wait)
	if err == nil {
		t.Cleanup(func() { _ = h.Release() })
	}
	return h, err
}

// A name that could leave the folder, or be somebody else's on another system, is none
// (RT-04, BR-02).
func TestNames(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "profiles")
	for _, good := range []string{"amazon", "Chat_GPT-2", strings.Repeat("x", 64), "shop-0123456789ab"} {
		h, err := hold(t, dir, good, time.Second)
		if err != nil || h.Path != filepath.Join(dir, good) {
			t.Errorf("%q: got %v, %v, want a folder of that name", good, h, err)
		}
	}
	for _, bad := range []string{"", ".", "..", ".locks", "a/b", `a\b`, "a b", "ä", "a\x00", "a.b", strings.Repeat("x", 65), "shop\n"} {
		if _, err := hold(t, dir, bad, time.Second); abi.CodeOf(err) != abi.CodeBrowserProfile {
			t.Errorf("%q: got %v, want %s", bad, err, abi.CodeBrowserProfile)
		}
	}
}

// A profile is for one run at a time; the next one waits, and then says that it is busy.
// Another profile is free meanwhile (BR-02).
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "profiles")
	first, err := hold(t, dir, "shop", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hold(t, dir, "shop", time.Millisecond); abi.CodeOf(err) != abi.CodeBrowserProfileBusy {
		t.Errorf("a second holder: got %v, want %s", err, abi.CodeBrowserProfileBusy)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Hold(ctx, dir, "shop", time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run: got %v, want its end", err)
	}
	if _, err := hold(t, dir, "other", time.Millisecond); err != nil {
		t.Errorf("another profile: got %v, want it", err)
	}
	second := make(chan error, 1)
	go func() {
		h, err := Hold(t.Context(), dir, "shop", time.Minute)
		if err == nil {
			err = h.Release()
		}
		second <- err
	}()
	if err := first.Release(); err != nil {
		t.Errorf("releasing: got %v, want nil", err)
	}
	if err := <-second; err != nil {
		t.Errorf("the run that waits: got %v, want the profile", err)
	}
}

// The links of a browser of another host name are removed, by the holder alone; those of one of
// this host are left for the browser to judge. Nothing happens to what they lead to.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "profiles")
	shop, precious := filepath.Join(dir, "shop"), filepath.Join(t.TempDir(), "precious")
	first, err := hold(t, dir, "shop", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	write(t, precious)
	link := func(to string) {
		for _, l := range links {
			if err := os.Symlink(to, filepath.Join(shop, l)); err != nil {
				t.Fatal(err)
			}
		}
	}
	link(precious)
	_, _ = hold(t, dir, "shop", time.Millisecond) // not the holder
	for _, l := range links {
		if _, err := os.Lstat(filepath.Join(shop, l)); err != nil {
			t.Errorf("%s of the running browser: got %v, want it there", l, err)
		}
	}
	_ = first.Release()
	if _, err := hold(t, dir, "shop", time.Second); err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if _, err := os.Lstat(filepath.Join(shop, l)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want it gone", l, err)
		}
	}
	if _, err := os.Stat(precious); err != nil {
		t.Errorf("what the links led to: got %v, want it there", err)
	}
}

func TestLinksOfThisHost(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "profiles")
	first, err := hold(t, dir, "shop", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(host+"-1", filepath.Join(first.Path, links[0])), first.Release()); err != nil {
		t.Fatal(err)
	}
	if _, err := hold(t, dir, "shop", time.Second); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(first.Path, links[0])); err != nil {
		t.Errorf("the link of a browser of this host: got %v, want it there", err)
	}
}

// Nobody else looks into a profile, and none is elsewhere.
func TestFolders(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permission bits say nothing there")
	}
	dir, elsewhere := filepath.Join(t.TempDir(), "profiles"), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "wide"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "file"))
	for _, name := range []string{"link", "file"} {
		if _, err := hold(t, dir, name, time.Second); abi.CodeOf(err) != abi.CodeBrowserProfile {
			t.Errorf("%s: got %v, want %s", name, err, abi.CodeBrowserProfile)
		}
	}
	if _, err := hold(t, dir, "wide", time.Second); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wide", ".locks"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: got %v, %v, want mode 0700", name, info.Mode(), err)
		}
	}
	if err := os.Chmod(dir, 0o770); err != nil { //nolint:gosec // that is what is refused
		t.Fatal(err)
	}
	if _, err := hold(t, dir, "late", time.Second); abi.CodeOf(err) != abi.CodeBrowserProfile {
		t.Errorf("a folder that others can write to: got %v, want %s", err, abi.CodeBrowserProfile)
	}
}

// Caches go after a run, and what a site keeps does not (BR-18.1).
func TestPrune(t *testing.T) {
	t.Parallel()
	h, err := hold(t, filepath.Join(t.TempDir(), "profiles"), "shop", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	kept := []string{"Default/Cookies", "Default/Local Storage/leveldb/1", "Default/IndexedDB/1", "Default/Service Worker/CacheStorage/1", "Local State"}
	gone := []string{"Default/Cache/Cache_Data/f_1", "Default/Code Cache/js/1", "ShaderCache/1", "Crashpad/reports/1"}
	for _, name := range append(kept, gone...) {
		write(t, filepath.Join(h.Path, name))
	}
	before, err := h.Size()
	if err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(h.Path, "Default", "Cache", "large")
	write(t, large)
	if err := os.Truncate(large, 1<<20); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Size(); err != nil || got != before+1<<20 {
		t.Errorf("got %d bytes, %v, want %d", got, err, before+1<<20)
	}
	if err := h.Prune(); err != nil {
		t.Errorf("pruning: got %v, want nil", err)
	}
	if got, err := h.Size(); err != nil || got >= before {
		t.Errorf("afterwards: got %d bytes, %v, want fewer than %d", got, err, before)
	}
	for _, name := range kept {
		if _, err := os.Stat(filepath.Join(h.Path, name)); err != nil {
			t.Errorf("%s: got %v, want it there", name, err)
		}
	}
	for _, name := range gone {
		if _, err := os.Stat(filepath.Join(h.Path, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want it gone", name, err)
		}
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// A profile is removed with everything in it, and not while a run uses it; one that is not there
// is gone already (BR-02.4).
func TestRemove(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "profiles")
	if err := Remove(t.Context(), dir, "shop", time.Second); err != nil {
		t.Errorf("none: got %v, want nil", err)
	}
	h, err := Hold(t.Context(), dir, "shop", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(t.Context(), dir, "shop", time.Millisecond); abi.CodeOf(err) != abi.CodeBrowserProfileBusy {
		t.Errorf("in use: got %v, want %s", err, abi.CodeBrowserProfileBusy)
	}
	if err := h.Release(); err != nil {
		t.Fatal(err)
	}
	if err := Remove(t.Context(), dir, "shop", time.Second); err != nil {
		t.Errorf("got %v, want it removed", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "shop")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no folder", err)
	}
}

// A profile has a browser keep nothing of what is typed and no history, and fetch nothing ahead of its
// time, whatever was there; what its browser notes beside that stays (BR-18.2).
func TestPreferences(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"":   preferences,
		"{":  preferences,
		"{}": preferences,
		`{"x":1,"net":{"y":[2],"network_prediction_options":0},"history":3}`: strings.NewReplacer(`{"network`, `{"y":[2],"network`, `{"autofill"`, `{"x":1,"autofill"`).Replace(preferences),
		"null": preferences,
	} {
		dir := filepath.Join(t.TempDir(), "profiles")
		path := filepath.Join(dir, "shop", "Default", "Preferences")
		if before != "" {
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(before), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := hold(t, dir, "shop", time.Second); err != nil {
			t.Fatal(err)
		}
		var got, wanted any
		text, err := os.ReadFile(path)
		if err = errors.Join(err, json.Unmarshal(text, &got), json.Unmarshal([]byte(want), &wanted)); err != nil || !reflect.DeepEqual(got, wanted) {
			t.Errorf("with %s: got %s, %v, want %s", before, text, err, want)
		}
	}
}

// The next start removes what a browser noted of its pages, also where its host was killed. It leaves a
// browser alone that still runs there (BR-18).
func TestNotesOfAKilledRunGo(t *testing.T) {
	t.Parallel()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		link string
		kept bool
	}{
		"none":          {"", false},
		"gone":          {host + "-2147483646", false},
		"elsewhere":     {"other.host-1", false},
		"alive":         {host + "-" + strconv.Itoa(os.Getpid()), true},
		"not a process": {host + "-99999999999999999999", true},
	} {
		dir := filepath.Join(t.TempDir(), "profiles")
		for _, f := range []string{"Default/History", "Default/Sessions/Tabs_1", "Default/Cache/x", "segmentation_platform/ukm_db"} {
			path := filepath.Join(dir, "shop", filepath.FromSlash(f))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if c.link != "" && runtime.GOOS != "windows" {
			if err := os.Symlink(c.link, filepath.Join(dir, "shop", "SingletonLock")); err != nil {
				t.Fatal(err)
			}
		}
		h, err := hold(t, dir, "shop", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{"Default/History", "Default/Sessions", "Default/Cache", "segmentation_platform"} {
			if _, err := h.root.Lstat(filepath.FromSlash(f)); (err == nil) != c.kept {
				t.Errorf("%s: %s: got %v, want it kept: %v", name, f, err, c.kept)
			}
		}
	}
}

// A session is kept beside its profile, for its owner's eyes alone, and goes with it (BR-18).
func TestKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "profiles")
	for _, step := range []struct{ keep, want string }{{"sealed", ""}, {"again", "sealed"}, {"", "again"}, {"last", ""}} {
		h, err := Hold(t.Context(), dir, "shop", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := h.Kept(); err != nil || string(got) != step.want {
			t.Errorf("got %q, %v, want %q", got, err, step.want)
		}
		if err := errors.Join(h.Keep([]byte(step.keep)), h.Release()); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, sessions, "shop")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file of its owner's alone", info, err)
	}
	if err := Remove(t.Context(), dir, "shop", time.Second); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no session without its profile", err)
	}
}

// A site that leaves more than a browser is given again makes no run fail, and a profile whose folder
// somebody has removed is signed out all the same (BR-18).
func TestSessionThatIsTooLarge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, err := Hold(t.Context(), dir, "shop", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{largest + 1, 10} {
		if err := errors.Join(h.Keep([]byte("before")), h.Keep(make([]byte, size))); err != nil {
			t.Fatal(err)
		}
		want := size
		if size > largest {
			want = 0
		}
		if got, err := h.Kept(); err != nil || len(got) != want {
			t.Errorf("of %d bytes: got %d, %v, want %d", size, len(got), err, want)
		}
	}
	path := filepath.Join(dir, sessions, "shop")
	if err := errors.Join(h.Release(), os.RemoveAll(h.Path), os.WriteFile(path+".new", nil, 0o600), Remove(t.Context(), dir, "shop", time.Second)); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{path, path + ".new", h.Path} {
		if _, err := os.Lstat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %s, %v, want it gone", left, err)
		}
	}
}
