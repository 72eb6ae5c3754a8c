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

// For any answers to searches the run ends in order, emits only messages that the host
// accepts, and reports each record that does not fit.
func FuzzSearchAnswer(f *testing.F) {
	f.Add(`{"results":[],"has_more":false,"next_cursor":null}`)
	f.Add(`{"results":[{"object":"page","id":"a-1","last_edited_time":"2026-01-01T00:00:00.000Z","archived":false,"parent":{"type":"page_id","page_id":"p"},` +
		`"properties":{"Name":{"type":"title","title":[{"plain_text":"x"}]},"F":{"type":"rollup","rollup":{"type":"array","array":[{"type":"date","date":{"start":1}}]}}}}],"has_more":false}`)
	f.Add(`{"results":[{"object":"page","id":"a"},{"object":"page","id":"a","in_trash":true},null,7,{"object":"data_source","id":"b"}],"has_more":true,"next_cursor":"c"}`)
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

// Any cursor is read without harm, and a run that goes on from it ends in order.
func FuzzCursor(f *testing.F) {
	f.Add(`{"v":2,"high_ms":5,"walking":true,"full":true,"begun_by":"run-0","at":"c","count":3,"created_ms":9}`)
	f.Add(`{"v":2,"high_ms":-1,"walking":true,"at":"\u0000","floor_ms":9223372036854775807,"bound_ms":-9223372036854775808}`)
	f.Add(`{"v":1,"known":{"":"0--------"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil || v.Kind() != jsonvalue.Object || !json.Valid([]byte(text)) || !utf8.ValidString(text) {
			return
		}
		w := newWorkspace()
		w.pages(2)
		res := w.Run(t, trial.Only(streamPages), func(o *sdktest.Options) { o.State = map[string]string{streamPages: text} })
		if res.Exit != 0 || res.Done.Status == abi.DoneSucceeded && len(res.States) == 0 {
			t.Errorf("%+v after %d cursors, want an end in order", res.Done, len(res.States))
		}
	})
}
