package sites

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// shopOf serves a shop, with a world whose owner has its password.
func shopOf(t *testing.T, shop *Shop) *world {
	t.Helper()
	shop.Username, shop.Password, shop.Orders = "ana", password, 2
	site := Serve(shop)
	t.Cleanup(site.Close)
	w := newWorld(t, site)
	w.secrets = map[string]string{"username": "ana", "password": password}
	return w
}

// shown is the connection's verdict now.
func (w *world) shown() verdict.RenderedVerdict {
	w.t.Helper()
	e, err := w.store.EvidenceOf(w.t.Context(), "example_shop")
	if err != nil {
		w.t.Fatal(err)
	}
	return verdict.OfStored(e.Facts, e.Moment(time.Now(), w.alive), true)
}

// turns are what a scheduler does on so many days.
func (w *world) turns(days int) (runs int) {
	w.t.Helper()
	day := 0
	every := int64(3600)
	s := schedule.New(schedule.Deps{
		Store: w.store, HolderAlive: w.alive, Now: func() time.Time { return time.Now().Add(time.Duration(day) * 24 * time.Hour) }, Random: func() float64 { return 0.5 },
		Policy: func(context.Context, storage.Connection) (*abi.RefreshPolicy, error) {
			return &abi.RefreshPolicy{RecommendedMode: "automatic", RecommendedIntervalSeconds: &every}, nil
		},
		Run: func(context.Context, schedule.Job) error {
			runs++
			_, err := w.run()
			return err
		},
	})
	for day = 1; day <= days; day++ {
		if _, err := s.Once(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
	return runs
}

// T3: a sign-in whose page is in an endless loop ends its run after the limit, with the code of
// the contract and the last label; the browser is gone within 15 s, and the site saw no password
// (BR-12, RT-15.1).
func TestSignInLoops(t *testing.T) {
	t.Parallel()
	shop := &Shop{Loops: "GET /login"}
	w := shopOf(t, shop)
	w.limit = 3 * time.Second
	res := w.collect()
	ended := time.Now()
	if res.Status != run.StatusFailed || res.Error.Code != "example_shop_session_establish_timeout" || !res.Error.Retryable ||
		!strings.Contains(res.Error.Message, "session-establish:begin") {
		t.Errorf("got %s %+v, want the watchdog's end, with the label, for another time", res.Status, res.Error)
	}
	for _, hit := range w.site.Hits() {
		if took := ended.Sub(hit.At); hit.Path == "/login" && took > w.limit+15*time.Second {
			t.Errorf("the run and its browser ended %s after the page began, want at most %s", took, w.limit+15*time.Second)
		}
	}
	if n := shop.Tries(); n != 0 {
		t.Errorf("the site saw %d passwords, want none", n)
	}
	v := w.shown()
	for i := range v.RequiredActions {
		if a := &v.RequiredActions[i]; a.Kind == verdict.Reauth {
			t.Errorf("got %+v, want no word of credentials", a)
		}
	}
}

// T4: a sign-in that stalls behind the password is not tried again by anybody but the owner: three
// turns of the scheduler send the password once, the verdict says so, and the owner's own run ends
// the wait (BR-13.5).
func TestPasswordIsSentOnce(t *testing.T) {
	t.Parallel()
	shop := &Shop{}
	w := shopOf(t, shop)
	if res := w.collect(); res.Status != run.StatusSucceeded {
		t.Fatalf("the first run: got %s %+v, want it to succeed", res.Status, res.Error)
	}
	shop.SignOut()
	shop.Loops, w.limit = "POST /login", 3*time.Second
	if runs := w.turns(3); runs != 1 || shop.Tries() != 2 {
		t.Fatalf("got %d runs in three turns, and %d passwords in all, want one run, and the second password", runs, shop.Tries())
	}
	v := w.shown()
	if len(v.RequiredActions) == 0 || v.RequiredActions[0].Reason != "sign_in_unfinished" || v.ForwardCode != "put_right_sign_in" {
		t.Errorf("got %+v, %q, want the owner told that the password was sent", v.RequiredActions, v.ForwardStatement)
	}
	shop.Loops, w.limit = "", 0
	if res := w.collect(); res.Status != run.StatusSucceeded || shop.Tries() != 3 {
		t.Fatalf("the owner's run: got %s %+v, %d passwords, want it to sign in", res.Status, res.Error, shop.Tries())
	}
	if v := w.shown(); len(v.RequiredActions) > 0 && v.RequiredActions[0].Reason == "sign_in_unfinished" {
		t.Errorf("behind the owner's run: got %+v, want nothing of the sign-in", v.RequiredActions)
	}
	if runs := w.turns(1); runs != 1 {
		t.Errorf("behind the owner's run: got %d runs of the scheduler, want it free again", runs)
	}
}

// BR-13.5: a failure behind the sign-in leaves nothing to the owner, whom the site knows now.
func TestFailureBehindTheSignIn(t *testing.T) {
	t.Parallel()
	shop := &Shop{}
	shop.Fault = func(r *http.Request) int {
		if r.URL.Path == "/api/orders" {
			return http.StatusForbidden
		}
		return 0
	}
	w := shopOf(t, shop)
	if res := w.collect(); res.Status != run.StatusFailed || res.Error.RecoveryHint != "" || shop.Tries() != 1 {
		t.Errorf("got %s %+v, %d passwords, want a failure that names nobody behind one password", res.Status, res.Error, shop.Tries())
	}
}
