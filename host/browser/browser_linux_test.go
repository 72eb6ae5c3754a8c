package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/launch"
)

// A start shows that gate, wall and sandbox hold, also that of doctor (RT-02.2, BR-01, BR-05, BR-07.5,
// BR-08).
func TestProve(t *testing.T) {
	t.Parallel()
	proof, err := Prove(t.Context(), request(t))
	if err != nil || !proof.Walled || proof.Product == "" {
		t.Fatalf("got %+v, %v, want a browser in its sandbox", proof, err)
	}
	t.Logf("%s, ready after %s", proof.Product, proof.Ready.Round(time.Millisecond))
}

// T8, Invariant 10: a gate that is shut too late, or not at all, is found out before anything is sent.
func TestGateThatIsOpen(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Browser) error{
		"late": func(b *Browser) error {
			_, err := proto.TargetCreateTarget{URL: "about:blank"}.Call(b.line.On(t.Context(), ""))
			return err
		},
		"dead": func(b *Browser) error {
			if err := b.gate.Shut(t.Context()); err != nil {
				return err
			}
			return proto.FetchDisable{}.Call(b.line.On(t.Context(), ""))
		},
	} {
		dialled := &counted{}
		r := request(t)
		r.Dialer = dialled
		b, err := start(t.Context(), r)
		if err == nil {
			err = spoil(b)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "late" {
			err = b.gate.Shut(t.Context())
		} else {
			// Its wall asks for a password, which nobody gives: without the gate nothing gets out.
			err = b.gate.Prove(t.Context(), r.Random)
		}
		if abi.CodeOf(err) != abi.CodeBrowserGate {
			t.Errorf("%s: got %v, want %s", name, err, abi.CodeBrowserGate)
		}
		if err := b.Close(); err != nil {
			t.Errorf("%s: closing: got %v, want nil", name, err)
		}
		if n := dialled.n.Load(); n != 0 {
			t.Errorf("%s: got %d connections, want none", name, n)
		}
	}
}

// T10: a profile is for one run at a time; two profiles run at once, and neither has what the
// other keeps (RT-02.3, BR-02.1).
func TestProfilesAreApart(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>"})
	r := request(t)
	r.Dialer = shop.known()
	one := acquire(t, r)
	busy := r
	busy.Wait = 10 * time.Millisecond
	// Without the lock the second browser would give way to the first one, and have another reason.
	if b, err := Acquire(t.Context(), busy); abi.CodeOf(err) != abi.CodeBrowserProfileBusy || !strings.Contains(err.Error(), "another run") {
		t.Fatalf("the same profile: got %v, %v, want %s by another run", b, err, abi.CodeBrowserProfileBusy)
	}
	other := r
	other.Profile = "other"
	two := acquire(t, other)
	const set = `(async () => { localStorage.k = "v"; document.cookie = "k=v; max-age=99999; secure"; await (await caches.open("k")).put("/k", new Response("v"));
		await new Promise((ok, no) => { const r = indexedDB.open("k"); r.onsuccess = ok; r.onerror = no }) })()`
	const look = `(async () => JSON.stringify([localStorage.length, document.cookie, await caches.keys(), (await indexedDB.databases()).length]))()`
	one.trust(t)
	two.trust(t)
	first, second := one.open(t, "https://shop.example/"), two.open(t, "https://shop.example/")
	first.eval(t, set)
	if got, want := first.eval(t, look), `[1,"k=v",["k"],1]`; got != want {
		t.Errorf("its own profile: got %v, want %s", got, want)
	}
	if got, want := second.eval(t, look), `[0,"",[],0]`; got != want {
		t.Errorf("the other profile: got %v, want %s", got, want)
	}
}

// T10: links that a browser of another host name has left do not keep the next one from
// starting, and a browser that somebody else has on the folder is named and left alone.
func TestOtherBrowsersOnTheFolder(t *testing.T) {
	t.Parallel()
	r := request(t)
	folder := filepath.Join(r.Profiles, r.Profile)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("another-container-7", filepath.Join(folder, "SingletonLock")); err != nil {
		t.Fatal(err)
	}
	b, err := Acquire(t.Context(), r)
	if err != nil {
		t.Fatalf("with stale links: got %v, want a browser", err)
	}
	if err := b.Close(); err != nil {
		t.Errorf("closing: got %v, want nil", err)
	}
	theirs := exec.CommandContext(t.Context(), r.Program, "--headless=new", "--user-data-dir="+folder, "--no-first-run", "--disable-gpu", "about:blank")
	theirs.Env = []string{"HOME=" + t.TempDir(), "TMPDIR=" + os.TempDir()}
	theirs.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := theirs.Start(); err != nil {
		t.Fatal(err)
	}
	// Its processes outlive the first one, and write to the folder until they end.
	defer func() {
		tree := launch.Tree(theirs.Process.Pid)
		_ = syscall.Kill(-theirs.Process.Pid, syscall.SIGKILL)
		_ = theirs.Wait()
		untilGone(t, "the other browser", tree)
	}()
	until(t, "the other browser has the folder", func() bool {
		_, err := os.Lstat(filepath.Join(folder, "SingletonSocket"))
		return err == nil
	})
	if b, err := Acquire(t.Context(), r); abi.CodeOf(err) != abi.CodeBrowserProfileBusy {
		t.Errorf("a folder that is somebody else's: got %v, %v, want %s", b, err, abi.CodeBrowserProfileBusy)
	}
	if state(theirs.Process.Pid) == "" {
		t.Error("the other browser is gone, want it alive")
	}
}

// T9: the host is killed at eight points of a browser's life; no process of the browser stays, nor
// its folder for what is temporary beyond the next start, and the next run, which is the next point's,
// starts on the profile (BR-06).
func TestHostIsKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes, and kills them")
	}
	r := request(t)
	temps, err := os.MkdirTemp("/tmp", "pb-") //nolint:usetesting // a short one, so that the browser's folder is made there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temps) })
	for _, point := range points {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		host := exec.CommandContext(t.Context(), self)
		host.Env = append(os.Environ(), hostIn+"="+r.Profiles, pointAt+"="+point, programIs+"="+r.Program, "TMPDIR="+temps)
		host.Stderr = os.Stderr
		out, err := host.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := host.Start(); err != nil {
			t.Fatal(err)
		}
		var pid int
		if _, err := fmt.Fscanln(out, &pid); err != nil {
			t.Fatalf("%s: the host says nothing: %v", point, err)
		}
		tree := launch.Tree(pid)
		killed := time.Now()
		_ = host.Process.Kill()
		_ = host.Wait()
		untilGone(t, point+": the browser", tree)
		left, _ := filepath.Glob(filepath.Join(temps, "pdpp-*"))
		next, err := newTemp(temps)
		if err != nil {
			t.Fatal(err)
		}
		kept, _ := filepath.Glob(filepath.Join(temps, "pdpp-*"))
		if len(left) > 1 || len(left) == 0 && point != "closing" || len(kept) != 1 || kept[0] != next.path {
			t.Errorf("%s: the host left %v, and the next start %v, want its one folder gone, and %s alone", point, left, kept, next.path)
		}
		if err := next.remove(); err != nil {
			t.Error(err)
		}
		t.Logf("%s: %d processes gone after %s", point, len(tree), time.Since(killed).Round(time.Millisecond))
	}
	if kept, err := acquire(t, r).held.Kept(); len(kept) == 0 || err != nil {
		t.Errorf("got the session %q, %v, want the one that was kept before its host was killed", kept, err)
	}
}

// T15: a browser below the oldest version is refused by what it says of itself, and ended; who
// says nothing of the kind is not a browser.
func TestProgramsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		code   abi.Code
	}{
		"too old":    {`head -c 1 <&3 >/dev/null; printf '{"id":1,"result":{"protocolVersion":"1.3","product":"HeadlessChrome/100.0.0.0","revision":"r","userAgent":"u","jsVersion":"1"}}\000' >&4; cat <&3 >/dev/null`, abi.CodeBrowserTooOld},
		"no browser": {"echo it lacks a library >&2; exit 3", abi.CodeBrowserStart},
		"no sandbox": {"echo No usable sandbox! >&2; exit 1", abi.CodeBrowserSandbox},
		"in use":     {"exit 21", abi.CodeBrowserProfileBusy},
	} {
		r := request(t)
		r.Program = filepath.Join(t.TempDir(), "browser")
		if err := os.WriteFile(r.Program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil { //nolint:gosec // it is executed
			t.Fatal(err)
		}
		b, err := Acquire(t.Context(), r)
		if abi.CodeOf(err) != c.code || b != nil {
			t.Errorf("%s: got %v, %v, want %s", name, b, err, c.code)
		}
	}
}
