package chain

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
)

// A token that expires in the middle of a run is renewed by the host, and the run does
// not notice. The new refresh token is kept, sealed. The next process uses it, since
// each is valid once.
func TestRenewal(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"environment", "stored"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			p := sample.Spotify(options(20))
			variables := sample.SpotifyVariables(token)
			o := newOwner(t, p, nil)
			if from == "stored" {
				o.says(0, "connections", "add", "spotify", "spotify", "--accept")
			}
			for name, value := range variables {
				if from == "environment" {
					o.setenv(name, value)
					continue
				}
				set := o.command("connections", "credential", "set", "spotify", strings.ToLower(strings.TrimPrefix(name, "SPOTIFY_")))
				set.Stdin = strings.NewReader(value)
				if out, err := set.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			expireAt := func(n int) {
				p.Forget()
				p.Before(func(i int, _ *http.Request) {
					if i == n {
						p.ExpireNow()
					}
				})
			}
			expireAt(3)
			r := o.runs(0, "spotify")
			if p.Renewals() != 1 || live(o.export("spotify", "saved_tracks")) != 20 {
				t.Fatalf("%d renewals, %+v, want p.Renewals() = 1 and live(o.export(\"spotify\", \"saved_tracks\")) = 20", p.Renewals(), r)
			}
			expireAt(0)
			s := o.says(0, "run", "spotify", "--no-input", "--accept", "--json", "--log-level", "debug", "--set", "base_url="+o.url)
			o.silent("run", s, token, "access-1", "refresh-1")
			for _, r := range p.Requests() {
				if r.Status == http.StatusUnauthorized || r.Path == "/api/token" {
					t.Errorf("the next process uses another access token: %+v, want Status not %v and Path not /api/token", r, http.StatusUnauthorized)
				}
			}
			expireAt(1)
			o.runs(0, "spotify")
			if p.Renewals() != 2 {
				t.Errorf("%d renewals, want 2", p.Renewals())
			}
			o.silent("afterwards", o.says(0, "connections", "show", "spotify", "--json"), token, "access-1", "refresh-1", "access-2", "refresh-2")

			// A consent that was taken back is the owner's to give again: exit status 6.
			p.Revoke()
			failed := o.runs(6, "spotify")
			if failed.Error == nil || !strings.Contains(failed.Error.Code, "auth") {
				t.Errorf("%+v, want failed.Error not nil and auth in failed.Error.Code", failed.Error)
			}
		})
	}
}

// The host renews with a client secret, too: Strava takes it in the body and replaces the
// refresh token, Reddit takes it in a header alone and keeps the refresh token.
func TestRenewalWithClientSecret(t *testing.T) {
	t.Parallel()
	type account interface {
		http.Handler
		Before(f func(n int, r *http.Request))
		Forget()
		ExpireNow()
		Revoke()
		Renewals() int
	}
	for name, c := range map[string]struct {
		account   account
		variables map[string]string
		stream    string
	}{
		"reddit": {sample.Reddit(options(20)), sample.RedditVariables(token), "saved"},
		"strava": {sample.Strava(options(20)), sample.StravaVariables(token), "activities"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOwner(t, c.account, c.variables)
			for run := 1; run <= 2; run++ {
				c.account.Forget()
				c.account.Before(func(i int, _ *http.Request) {
					if i == 2 {
						c.account.ExpireNow()
					}
				})
				o.runs(0, name)
				if got := live(o.export(name, c.stream)); got != 20 || c.account.Renewals() != run {
					t.Fatalf("run %d: %d records after %d renewals, want 20 after %d", run, got, c.account.Renewals(), run)
				}
			}
			c.account.Before(nil)
			c.account.Revoke()
			failed := o.runs(6, name)
			if failed.Error == nil || failed.Error.Code != name+"_auth_failed" {
				t.Errorf("without consent: %+v, want %s_auth_failed", failed.Error, name)
			}
		})
	}
}
