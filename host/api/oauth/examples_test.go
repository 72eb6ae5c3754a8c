package oauth

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

// RD-31, RD-41: the requests that the public specification and its page of examples show are taken as they are, but for the client's
// own names, and with the challenge that each request for a code has.
func TestExamplesOfTheSpecification(t *testing.T) {
	t.Parallel()
	const registry = "https://registry.pdpp.dev/connectors/"
	declares := func(key, streams string) string {
		return `{"connector_id":"` + registry + key + `","connector_key":"` + key + `","display_name":"` + key + `","version":"1.0.0",` + streams + `}`
	}
	stream := func(name string) string {
		return `{"name":"` + name + `","cursor_field":"source_updated_at","consent_time_field":"source_updated_at","primary_key":["id"],"schema":{"type":"object","required":["id","name"],"properties":{` +
			`"id":{"type":"string"},"name":{"type":"string"},"genres":{"type":"array","items":{"type":"string"}},"popularity":{"type":"integer"},"source_updated_at":{"type":"string","format":"date-time"}}}}`
	}
	asks := func(source, purpose, mode, rest string) string {
		return `[{"type":"https://pdpp.dev/data-access","source":{"kind":"connector","id":"` + registry + source + `"},"purpose_code":"https://pdpp.dev/purpose/` + purpose + `","access_mode":"` + mode + `",` + rest + `}]`
	}
	for name, c := range map[string]struct{ display, details string }{
		"of a code, with two streams": {
			`{"name":"Concert Finder","uri":"https://concertfinder.example.com","logo_uri":"https://concertfinder.example.com/logo.png","policy_uri":"https://concertfinder.example.com/privacy","tos_uri":"https://concertfinder.example.com/terms"}`,
			asks("spotify", "personalization", "single_use", `"purpose_description":"Concerts near you","streams":[{"name":"top_artists","necessity":"required","instance_ids":["INSTANCE"],"time_range":{"since":"2025-09-28T00:00:00Z"}},{"name":"play_events","necessity":"optional"}],"client_claims":{"commitments":["For concerts only"]}`),
		},
		"of one preset": {"", asks("instagram", "personalization", "single_use", `"selection_preset":"social_summary"`)},
		"of fields, with a time to keep them": {
			`{"name":"Concerts App","uri":"https://concerts.example.com"}`,
			asks("spotify", "personalization", "single_use", `"purpose_description":"Concerts near you","retention":{"max_duration":"P90D","on_expiry":"delete"},"client_claims":{"commitments":["Nothing is published."]},`+
				`"streams":[{"name":"top_artists","necessity":"required","time_range":{"since":"2025-10-11T00:00:00Z"},"fields":["id","name","genres","popularity","source_updated_at"]}]`),
		},
		"of all streams": {`{"name":"My Agent"}`, asks("chatgpt", "agent_context", "continuous", `"purpose_description":"Context for an agent","streams":[{"name":"*"}]`)},
	} {
		b := newBed(t)
		b.accept("music", declares("spotify", `"streams":[`+stream("top_artists")+`,`+stream("play_events")+`]`))
		b.accept("talks", declares("chatgpt", `"streams":[`+stream("conversations")+`,`+stream("messages")+`]`))
		b.accept("pictures", declares("instagram", `"selection_presets":[{"id":"social_summary","label":"Summary","streams":[{"name":"media"}]}],"streams":[`+stream("media")+`]`))
		music, err := b.store.Connection(t.Context(), "music")
		b.ok(err)
		const back = "https://app.example.com/callback"
		for way, more := range map[string]object{
			"for an approval": {}, "for a code": {"response_type": "code", "redirect_uri": back, "scope": "openid", "code_challenge": strings.Repeat("a", 43), "code_challenge_method": "S256"},
		} {
			client := b.posts(PathRegister, object{"client_name": "An app", "redirect_uris": []string{back}}).string("client_id")
			body := object{"client_id": client, "authorization_details": jsontext.Value(strings.Replace(c.details, "INSTANCE", music.ID, 1))}
			if c.display != "" {
				body["client_display"] = jsontext.Value(c.display)
			}
			maps.Copy(body, more)
			got := b.posts(PathPush, body)
			if got.status != http.StatusCreated {
				t.Errorf("%s, %s: got %d %s, want it taken", name, way, got.status, got.text)
				continue
			}
			all, err := grants.Requests(t.Context(), b.owner)
			b.ok(err)
			for _, r := range all {
				if r.ClientID != client {
					continue
				}
				looked, err := grants.Look(t.Context(), b.owner, r.ID)
				b.ok(err)
				if len(looked.Offers) == 0 {
					t.Errorf("%s, %s: got nothing to give, want what is asked for", name, way)
				}
			}
		}
	}
}
