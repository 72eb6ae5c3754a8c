package sites

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/folder"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// The environment of the host that is killed: its folder, and the place of its store.
const (
	killedIn    = "PDPP_TEST_SITES_KILLED"
	killedStore = "PDPP_TEST_SITES_KILLED_STORE"
)

// BR-13.5: a host that is killed as the site gets the password leaves word of it, since that was
// durable before the first letter was typed. No turn of a scheduler sends the password again,
// neither before nor after the next host has written that the run is over; the owner's run does.
func TestHostIsKilledBehindThePassword(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(killedIn); dir != "" {
		hostThatIsKilled(t, dir)
		return
	}
	for name, store := range map[string]func(t *testing.T, dir string) string{
		"SQLite":     func(_ *testing.T, dir string) string { return filepath.Join(dir, "pdpp.sqlite") },
		"PostgreSQL": func(t *testing.T, _ string) string { return pgtest.Durable(t, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shop := &Shop{Username: "ana", Password: password, Orders: 2}
			site := Serve(shop)
			t.Cleanup(site.Close)
			dir := folder.New(t)
			place := store(t, dir)
			w := newWorldIn(t, site, "example_shop", dir, place)
			w.secrets = map[string]string{"username": "ana", "password": password}
			w.alive = func(string) bool { return false }
			w.ids.Store(1) // the host that is killed has made the run of number 1

			host := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHostIsKilledBehindThePassword$", "-test.count=1") //nolint:gosec // this program
			host.Env = append(os.Environ(), killedIn+"="+dir, killedStore+"="+place)
			out, err := host.CombinedOutput()
			var ended *exec.ExitError
			if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("got the host ended by %v, want it killed as the site got the password:\n%s", err, out)
			}
			left := func(when string) {
				t.Helper()
				if runs := w.turns(3); runs != 0 || shop.Tries() != 0 {
					t.Fatalf("%s: got %d runs of the scheduler and %d passwords more, want neither", when, runs, shop.Tries())
				}
				if v := w.shown(); len(v.RequiredActions) == 0 || v.RequiredActions[0].Reason != "sign_in_unfinished" {
					t.Errorf("%s: got %+v, want the owner told that the password was sent", when, v.RequiredActions)
				}
			}
			left("the run has no end")
			if n, err := w.store.LoseRuns(t.Context(), w.alive); n != 1 || err != nil {
				t.Fatalf("got %d runs ended, %v, want the one that was killed", n, err)
			}
			left("the run is abandoned")
			if res := w.collect(); res.Status != run.StatusSucceeded || shop.Tries() != 1 {
				t.Fatalf("the owner's run: got %s %+v, %d passwords, want it to sign in", res.Status, res.Error, shop.Tries())
			}
			if v := w.shown(); len(v.RequiredActions) > 0 && v.RequiredActions[0].Reason == "sign_in_unfinished" {
				t.Errorf("behind the owner's run: got %+v, want nothing of the sign-in", v.RequiredActions)
			}
		})
	}
}

// hostThatIsKilled is a host that a site kills with the password in its hands.
func hostThatIsKilled(t *testing.T, dir string) {
	t.Helper()
	shop := &Shop{Username: "ana", Password: password, Fault: func(r *http.Request) int {
		if r.Method == http.MethodPost && r.FormValue("password") == password {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return 0
	}}
	site := Serve(shop)
	defer site.Close()
	w := newWorldIn(t, site, "example_shop", dir, os.Getenv(killedStore))
	w.secrets = map[string]string{"username": "ana", "password": password}
	t.Fatalf("got %+v, want this host killed", w.collect())
}
