package main

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
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

// Any cursor is read without harm, and a written cursor is read as it was.
func FuzzCursors(f *testing.F) {
	f.Add(`{"v":1,"high_ms":5,"extra":-3,"known":{"a":"3abcdefg"},"last_ms":7,"keys":["t:7"]}`)
	f.Add(`{"v":7,"known":{"":"--------"},"last_ms":-1,"keys":[1,null]}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil || v.Kind() != jsonvalue.Object {
			return
		}
		h := readHistory(v)
		for _, read := range []func(jsonvalue.Value) []byte{
			func(v jsonvalue.Value) []byte { return readLedger(v).encode() },
			func(v jsonvalue.Value) []byte { h = readHistory(v); return h.encode() },
		} {
			once := read(v)
			w, err := jsonvalue.Parse(once)
			if err != nil || !utf8.Valid(once) {
				t.Fatalf("%s: %v, want valid UTF-8", once, err)
			}
			if twice := read(w); string(once) != string(twice) {
				t.Errorf("%s\n%s, want once = %v", once, twice, string(twice))
			}
		}
	})
}

// The largest cursor stays below the limit of a STATE.
func TestLargestLedger(t *testing.T) {
	t.Parallel()
	l := readLedger(jsonvalue.Value{})
	id := []byte(strings.Repeat("0", maxID))
	for i := range maxKnown + 5 {
		for j, n := len(id)-1, i; n > 0; j, n = j-1, n/10 {
			id[j] = '0' + byte(n%10)
		}
		l.set(string(id), 1<<48-1)
	}
	if n := len(l.encode()); n > abi.MaxStateBytes || !l.overflow || len(l.known) != maxKnown {
		t.Errorf("%d bytes for %d rows, want n at most %d, l.overflow and len(l.known) = %d", n, len(l.known), abi.MaxStateBytes, maxKnown)
	}
}
