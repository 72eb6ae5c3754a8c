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
)

// For any answers to lists the run ends in order, emits only messages that the host
// accepts, and reports each record that does not fit.
func FuzzListAnswer(f *testing.F) {
	f.Add(`[]`)
	f.Add(`[{"id":5,"start_date":"2026-01-01T00:00:00Z","name":"n","distance":1.5,"start_latlng":[1,2],"map":{"summary_polyline":"x"}}]`)
	f.Add(`[null,7,{"id":-1},{"id":5},{"id":1e3,"start_date":7,"map":[1]}]`)
	f.Add(`[{"id":6,"start_date":"yesterday","start_latlng":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}]`)
	f.Add("[{\"id\":7,\"start_date\":\"2026-01-01T00:00:00Z\",\"name\":\"\xff\\ud800\"}]")
	f.Fuzz(func(t *testing.T, answer string) {
		provider := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v3/athlete" {
				_, _ = w.Write([]byte(`{"id":7,"name":"me"}`))
				return
			}
			if r.URL.Query().Get("page") != "1" {
				answer = `[]`
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

// Any cursor is read without harm, and a run that goes on from it ends in order.
func FuzzCursors(f *testing.F) {
	f.Add(`{"v":1,"begun_by":"run-0","page":"2"}`)
	f.Add(`{"v":1,"begun_by":"","page":"-1&after=5"}`)
	f.Add(`{"v":1,"page":"https://evil.example/api/v3/"}`)
	f.Add(`{"v":2,"page":[],"account":5}`)
	f.Add(`{"v":1,"page":"\u007f"}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil || v.Kind() != jsonvalue.Object || !json.Valid([]byte(text)) || !utf8.ValidString(text) {
			return
		}
		a := newAccount(3)
		res := a.Run(t, func(o *sdktest.Options) { o.State = map[string]string{"activities": text} })
		if res.Exit != 0 || res.Done.Status == abi.DoneSucceeded && len(res.States) == 0 {
			t.Errorf("%+v after %d cursors, want an end in order", res.Done, len(res.States))
		}
	})
}
