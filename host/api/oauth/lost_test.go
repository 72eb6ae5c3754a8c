package oauth

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/storage"
)

// An answer with tokens that is lost costs no access: within a minute the same client shows again what it showed, and
// gets others in place of those that nobody has used. The host refuses it to another client, later, and once a token was used.
func TestAnswersThatAreLost(t *testing.T) {
	t.Parallel()
	type scene struct {
		*bed

		client, grant string
		show          func(client string) *sent // again
		renew         func(token string) *sent
		first         *sent
	}
	kinds := map[string]func(b *bed) scene{
		"a refresh token": func(b *bed) scene {
			client := b.redirects(typeRefresh)
			renew := func(client, token string) *sent {
				return b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {token}})
			}
			code, id := b.coded(client)
			began := b.exchanges(redemption(client, code)).string("refresh_token")
			return scene{b, client, id, func(client string) *sent { return renew(client, began) }, func(token string) *sent { return renew(client, token) }, renew(client, began)}
		},
		"a device's code": func(b *bed) scene {
			client := b.redirects(typeRefresh, typeDevice)
			begun := b.startsDevice(url.Values{"client_id": {client}, "authorization_details": {asks}})
			id, err := grants.EnterCode(b.Context(), b.owner, begun.string("user_code"))
			b.ok(err)
			made := b.approves(id, Choices{})
			b.forward(desk.RequestLife - time.Second) // it may show the code again although the request's time is over
			show := func(client string) *sent { return b.asksAsDevice(client, begun.string("device_code")) }
			renew := func(token string) *sent {
				return b.exchanges(url.Values{"grant_type": {typeRefresh}, "client_id": {client}, "refresh_token": {token}})
			}
			return scene{b, client, made.GrantID, show, renew, show(client)}
		},
	}
	refused := func(s *scene, got *sent) {
		s.Helper()
		if got.status != http.StatusBadRequest || got.error() != codeGrant {
			s.Errorf("got %d %s, want invalid_grant", got.status, got.text)
		}
	}
	steps := map[string]func(s *scene){
		"shown again": func(s *scene) {
			s.forward(storage.RepeatWithin)
			again := s.show(s.client)
			if again.status != http.StatusOK || again.string("access_token") == s.first.string("access_token") || again.string("refresh_token") == "" {
				s.Fatalf("got %d %s, want other tokens", again.status, again.text)
			}
			_, err := s.reads(s.first.string("access_token"))
			s.code(err, desk.CodeTokenRefused)
			if _, err := s.reads(again.string("access_token")); err != nil {
				s.Errorf("got %v, want the second answer's token to read", err)
			}
			if next := s.renew(again.string("refresh_token")); next.status != http.StatusOK {
				s.Errorf("got %d %s, want the second answer's token to be renewed", next.status, next.text)
			}
		},
		"shown a third time": func(s *scene) {
			s.show(s.client)
			third := s.show(s.client)
			if _, err := s.reads(third.string("access_token")); err != nil {
				s.Errorf("got %d %s and %v, want the third answer's token to read", third.status, third.text, err)
			}
		},
		"the first answer came to somebody": func(s *scene) {
			if again := s.show(s.client); again.status != http.StatusOK {
				s.Fatalf("got %d %s, want other tokens", again.status, again.text)
			}
			refused(s, s.renew(s.first.string("refresh_token")))
			s.ended(s.grant, "grants.refresh_replayed")
		},
		"the token was used": func(s *scene) {
			if _, err := s.reads(s.first.string("access_token")); err != nil {
				s.Fatal(err)
			}
			refused(s, s.show(s.client))
		},
		"the token was renewed": func(s *scene) {
			s.renew(s.first.string("refresh_token"))
			refused(s, s.show(s.client))
		},
		"after a minute": func(s *scene) {
			s.forward(storage.RepeatWithin + time.Microsecond)
			if got := s.show(s.client); got.status != http.StatusBadRequest {
				s.Errorf("got %d %s, want it refused", got.status, got.text)
			}
		},
		"by another client": func(s *scene) {
			refused(s, s.show(s.redirects(typeRefresh, typeDevice)))
			if _, err := s.reads(s.first.string("access_token")); err != nil {
				s.Errorf("got %v, want the first answer's token to read", err)
			}
		},
	}
	for kind, begin := range kinds {
		for name, step := range steps {
			t.Run(kind+", "+name, func(t *testing.T) {
				t.Parallel()
				s := begin(newBed(t))
				if s.first.status != http.StatusOK || s.first.string("refresh_token") == "" {
					t.Fatalf("got %d %s, want tokens", s.first.status, s.first.text)
				}
				step(&s)
			})
		}
	}
}

// A device that is allowed a token of the owner's gets another one in its place, while nobody has used it.
func TestAnAnswerWithAnOwnersTokenIsLost(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	code := b.allowsDevice("pdpp_cli")
	first := b.asksAsDevice("pdpp_cli", code).string("access_token")
	second := b.asksAsDevice("pdpp_cli", code).string("access_token")
	_, err := access.ByToken(t.Context(), b.owner, first)
	b.code(err, access.CodeTokenRefused)
	_, err = access.ByToken(t.Context(), b.owner, second)
	b.ok(err)
	if got := b.asksAsDevice("pdpp_cli", code); got.error() != codeGrant {
		t.Errorf("after it was used: got %d %s, want invalid_grant", got.status, got.text)
	}
	if _, err = access.ByToken(t.Context(), b.owner, second); err != nil {
		t.Errorf("got %v, want the token that was used to hold", err)
	}
}
