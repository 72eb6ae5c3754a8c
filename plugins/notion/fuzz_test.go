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

// For any answers to searches the run ends in order, emits only messages that the host
// accepts, and reports each record that does not fit.
func FuzzSearchAnswer(f *testing.F) {
	f.Add(`{"results":[],"has_more":false,"next_cursor":null}`)
	f.Add(`{"results":[{"object":"page","id":"a-1","last_edited_time":"2026-01-01T00:00:00.000Z","archived":false,"parent":{"type":"page_id","page_id":"p"},` +
		`"properties":{"Name":{"type":"title","title":[{"plain_text":"x"}]},"F":{"type":"rollup","rollup":{"type":"array","array":[{"type":"date","date":{"start":1}}]}}}}],"has_more":false}`)
	f.Add(`{"results":[{"object":"page","id":"a"},{"object":"page","id":"a","in_trash":true},null,7,{"object":"database","id":"b"}],"has_more":true,"next_cursor":"c"}`)
	f.Add(`{"results":[{"object":"page","id":"a","properties":{"P":` + strings.Repeat(`{"type":"rollup","rollup":{"type":"array","array":[`, 20) + strings.Repeat(`]}}`, 20) + `}}],"has_more":false}`)
	f.Add(`{"results":[{"object":"page","id":"a","url":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}],"has_more":false}`)
	f.Add("{\"results\":[{\"object\":\"page\",\"id\":\"a\",\"properties\":{\"\xff\":{\"type\":\"select\",\"select\":{\"name\":\"\\ud800\"}},\"\xff\":{}}}],\"has_more\":false}")
	f.Fuzz(func(t *testing.T, answer string) {
		provider := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/users/me" {
				_, _ = w.Write([]byte(`{"id":"b"}`))
				return
			}
			_, _ = w.Write([]byte(answer))
		})
		res := sdktest.Collect(t, connector{}, sdktest.Options{
			Provider: provider, Credentials: map[string]bool{"token": true}, Tolerate: true,
		})
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

// The same holds for the answer about the token's owner: a run that goes on knows the
// owner.
func FuzzAccountAnswer(f *testing.F) {
	f.Add(`{"object":"user","id":"b","type":"bot","bot":{"workspace_id":"w"}}`)
	f.Add(`{"id":"","bot":{"workspace_id":"w"}}`)
	f.Add(`{"id":7,"bot":[]}`)
	f.Add(`{"results":[],"has_more":false}`)
	f.Fuzz(func(t *testing.T, answer string) {
		provider := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/users/me" {
				_, _ = w.Write([]byte(answer))
				return
			}
			_, _ = w.Write([]byte(`{"results":[],"has_more":false}`))
		})
		res := sdktest.Collect(t, connector{}, sdktest.Options{Provider: provider, Credentials: map[string]bool{"token": true}})
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
func FuzzLedger(f *testing.F) {
	f.Add(`{"v":1,"high_ms":5,"round":3,"known":{"a":"3abcdefgh"},"walk":{"full":true,"cursor":"c"}}`)
	f.Add(`{"v":1,"round":-1,"known":{"a":"zzzzzzzzz","b":"1"}}`)
	f.Add(`{"v":7,"known":{"":"0--------"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil || v.Kind() != jsonvalue.Object {
			return
		}
		once := readLedger(v).encode()
		w, err := jsonvalue.Parse(once)
		if err != nil || !utf8.Valid(once) {
			t.Fatalf("%s: %v, want valid UTF-8", once, err)
		}
		if twice := readLedger(w).encode(); string(once) != string(twice) {
			t.Errorf("%s\n%s, want once = %v", once, twice, string(twice))
		}
	})
}

// The largest cursor stays below the limit of a STATE.
func TestLargestLedger(t *testing.T) {
	t.Parallel()
	l := readLedger(jsonvalue.Value{})
	id := []byte("00000000-0000-4000-8000-000000000000")
	for i := range maxKnown + 5 {
		for j, n := len(id)-1, i; n > 0; j, n = j-1, n/10 {
			id[j] = '0' + byte(n%10)
		}
		l.set(string(id), 1<<48-1)
	}
	if n := len(l.encode()); n > abi.MaxStateBytes-(64<<10) || !l.overflow || len(l.known) != maxKnown {
		t.Errorf("%d bytes for %d objects, want n at most %d, l.overflow and len(l.known) = %d", n, len(l.known), abi.MaxStateBytes-(64<<10), maxKnown)
	}
}
