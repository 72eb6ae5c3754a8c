package web_test

import (
	"bytes"
	"net/http"
	"net/url"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// OC-05: the proof of a form comes in other letters in each page, and is believed in each of
// them; that of another session is not. Without randomness there is none.
func TestMaskedProofs(t *testing.T) {
	t.Parallel()
	b := newBed(t, &web.Guard{})
	secret := b.session()
	one := web.MaskedProof(&access.Caller{Secret: secret}, bytes.NewReader(bytes.Repeat([]byte{1}, 32)))
	two := web.MaskedProof(&access.Caller{Secret: secret}, bytes.NewReader(bytes.Repeat([]byte{2}, 32)))
	others := web.MaskedProof(&access.Caller{Secret: "another"}, bytes.NewReader(bytes.Repeat([]byte{1}, 32)))
	if one == two || one == "" {
		t.Errorf("got %q and %q, want two that differ", one, two)
	}
	for proof, want := range map[string]string{one: "session from 192.0.2.7", two: "session from 192.0.2.7", others: string(web.CodeForeignRequest), "": string(web.CodeForeignRequest)} {
		got, _ := b.ask(http.MethodPost, "127.0.0.1:8377", map[string]string{"Cookie": "pdpp-8377=" + secret}, url.Values{"proof": {proof}})
		if got != want {
			t.Errorf("the proof %q: got %q, want %q", proof, got, want)
		}
	}
	if got := web.MaskedProof(&access.Caller{Secret: secret}, bytes.NewReader(nil)); got != "" {
		t.Errorf("without randomness: got %q, want none", got)
	}
}
