package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// The page of what was made ends what is ticked and leaves the rest, and refuses a form that ticks nothing
// or names no time. All of it goes but this browser's session.
func TestWhatWasMadeIsEndedOnItsPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ids := map[string]string{}
	for _, name := range []string{"one", "two", "three"} {
		made, err := access.CreateToken(t.Context(), b.Owner, access.NewToken{Name: name, Scope: access.ScopeRead})
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = made.ID
	}
	shown := func(want ...string) {
		t.Helper()
		body := b.get("/settings/made?hours=24").body
		for name, id := range ids {
			if got, want := strings.Contains(body, `value="`+id+`"`), strings.Contains(strings.Join(want, " "), name); got != want {
				t.Errorf("the token %s: got shown %t, want %t", name, got, want)
			}
		}
	}
	shown("one", "two", "three")
	since := hiddenIn(b.get("/settings/made?hours=24").body, "since")
	for name, form := range map[string]url.Values{
		"nothing ticked": {"since": {since}}, "no time": {"thing": {ids["one"]}}, "an unknown thing": {"since": {since}, "thing": {"tok_none"}},
	} {
		if got := b.ask(http.MethodPost, "/settings/made/end", form, nil); got.status < 400 || got.status > 499 {
			t.Errorf("%s: got %d %s, want it refused", name, got.status, problem(got.body))
		}
	}
	shown("one", "two", "three")
	b.done("/settings/made/end", url.Values{"since": {since}, "thing": {ids["two"]}}, "/settings/made")
	shown("one", "three")
	b.done("/settings/made/end", url.Values{"since": {since}, "all": {"yes"}}, "/settings/made")
	shown()
	if got := b.get("/settings"); got.status != http.StatusOK {
		t.Errorf("got %d, want this browser signed in", got.status)
	}
}
