package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// For any answers to lists the run ends in order, emits only messages that the host
// accepts, and reports each record that does not fit.
func FuzzListAnswer(f *testing.F) {
	f.Add(`{"items":[],"total":0,"next":null}`)
	f.Add(`{"items":[{"id":"a","name":"n","added_at":"2026-01-01T00:00:00Z","played_at":"2026-01-01T00:00:00.000Z","track":{"id":"t","name":"n",` +
		`"artists":[{"name":"x","id":null}],"album":{"name":"y"}},"genres":["g"],"tracks":{"total":3}}],"total":1}`)
	f.Add(`{"items":[null,7,{"id":"a"},{"id":"a","name":5},{"track":null}],"total":5,"next":"https://api.spotify.com/v1/me/tracks?offset=50"}`)
	f.Add(`{"items":[{"id":"a","name":"n","artists":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}],"total":1}`)
	f.Add("{\"items\":[{\"id\":\"a\",\"name\":\"\xff\\ud800\",\"genres\":[[[1]],{\"a\":1,\"a\":2}]}],\"total\":1e99}")
	f.Add(`{"items":[{"played_at":"0000-01-01T00:00:00Z","track":{"uri":"u:\u0000"}}]}`)
	f.Fuzz(func(t *testing.T, answer string) {
		provider := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/me" {
				_, _ = w.Write([]byte(`{"id":"me"}`))
				return
			}
			_, _ = w.Write([]byte(answer))
		})
		res := sdktest.Collect(t, connector{}, sdktest.Options{Provider: provider, Credentials: credentials, Tolerate: true})
		for _, p := range res.Problems {
			if !strings.Contains(p, "the schema wants") {
				t.Errorf("%s, want the schema wants in it", p)
			}
		}
		if res.Exit != 0 {
			t.Errorf("exit %d, want 0", res.Exit)
		}
	})
}

// The same holds for the answer about the sign-in's account: a run that goes on knows
// the account.
func FuzzAccountAnswer(f *testing.F) {
	f.Add(`{"id":"me","type":"user"}`)
	f.Add(`{"id":"","uri":"spotify:user:"}`)
	f.Add(`{"id":7}`)
	f.Add(`{"items":[],"total":0}`)
	f.Fuzz(func(t *testing.T, answer string) {
		provider := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/me" {
				_, _ = w.Write([]byte(answer))
				return
			}
			_, _ = w.Write([]byte(`{"items":[],"total":0,"next":null}`))
		})
		res := sdktest.Collect(t, connector{}, sdktest.Options{Provider: provider, Credentials: credentials})
		for _, s := range res.States {
			if !strings.Contains(string(s.Cursor), `"account":`) {
				t.Errorf("a cursor of nobody: %s, want %s in s.Cursor", s.Cursor, `"account":`)
			}
		}
		if res.Exit != 0 || (res.Done.Status == abi.DoneSucceeded) != (len(res.States) > 0) {
			t.Errorf("exit %d, %+v after %d cursors, want exit 0, and cursors if and only if it succeeded", res.Exit, res.Done, len(res.States))
		}
	})
}

// Any cursor is read without harm, and a run that goes on from it ends in order.
func FuzzCursors(f *testing.F) {
	f.Add(`{"v":1,"inventory_ms":5,"extra":-3,"next":"https://api.spotify.com/v1/me/tracks?offset=50","known":{"a":"3abcdefg"},"last_ms":7,"keys":["t:7"]}`)
	f.Add(`{"v":1,"next":"https://evil.example/v1/","known":{"":"--------"},"last_ms":-1,"keys":[1,null]}`)
	f.Add(`{"v":7,"known":[],"inventory_ms":1767323225000,"last_ms":9223372036854775807}`)
	f.Add(`{"v":1,"next":"0"}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil || v.Kind() != jsonvalue.Object || !json.Valid([]byte(text)) || !utf8.ValidString(text) {
			return
		}
		a := furnished()
		for _, stream := range []string{streamTracks, streamPlaylists, streamArtists, streamPlays} {
			res := a.Run(t, trial.Only(stream), func(o *sdktest.Options) { o.State = map[string]string{stream: text} })
			if res.Exit != 0 || res.Done.Status == abi.DoneSucceeded && len(res.States) == 0 {
				t.Errorf("%s: %+v after %d cursors, want an end in order", stream, res.Done, len(res.States))
			}
		}
	})
}
