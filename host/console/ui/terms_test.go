package ui

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// The owner's page shows without a fold where a module's requests go, and where secrets come from and
// go, and says beside it nothing else.
func TestNoReachIsFolded(t *testing.T) {
	t.Parallel()
	folded := regexp.MustCompile(`(?s)<details.*?</details>`)
	for _, a := range []modules.Ask{
		{What: modules.AsksAt, Value: "http://10.0.0.1:8096, instead of its provider; its credentials go there"},
		{What: "browses", Value: "shop.example (orders): pages that it reads"},
		{What: "sends", Value: "token to api.example in Authorization"},
		{What: "credential", Value: "token (SHOP_TOKEN)"},
		{What: "option", Value: "since (string)"},
	} {
		var page strings.Builder
		f := connectors.Offer{Terms: &modules.Terms{Asks: []modules.Ask{a}}}
		if err := Terms(&f).Render(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		open := folded.ReplaceAllString(page.String(), "")
		if !strings.Contains(page.String(), a.String()) {
			t.Errorf("%s: it is not on the page", a)
		}
		if got, want := strings.Contains(open, a.String()), a.What != "option"; got != want {
			t.Errorf("%s: shown without a fold %v, want %v", a, got, want)
		}
		if strings.Contains(open, "no other machine") && a.Reaches() {
			t.Errorf("%s: the page says that it reaches no other machine", a)
		}
	}
}
