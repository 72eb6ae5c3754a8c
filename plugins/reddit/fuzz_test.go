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
	f.Add(`{"kind":"Listing","data":{"after":null,"children":[]}}`)
	f.Add(`{"data":{"after":null,"children":[{"kind":"t3","data":{"id":"a","name":"t3_a","created_utc":1.7e9,"title":"n","permalink":"/r/x"}}]}}`)
	f.Add(`{"data":{"after":"t3_a","children":[null,7,{"kind":"t1","data":{"id":"a","name":"t1_a"}},{"kind":"t3","data":[]}]}}`)
	f.Add(`{"data":{"after":null,"children":[{"kind":"t3","data":{"id":"a","name":"t3_a","created_utc":-1,"selftext":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}}]}}`)
	f.Add("{\"data\":{\"after\":null,\"children\":[{\"kind\":\"t1\",\"data\":{\"id\":\"a\",\"name\":\"t1_a\",\"created_utc\":1,\"body\":\"\xff\\ud800\"}}]}}")
	f.Fuzz(func(t *testing.T, answer string) {
		provider := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/me" {
				_, _ = w.Write([]byte(`{"id":"me","name":"me"}`))
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

// Any cursor is read without harm, and a run that goes on from it ends in order.
func FuzzCursors(f *testing.F) {
	f.Add(`{"v":1,"read_ms":5,"known":{"t3_p1":"3abcdefg"}}`)
	f.Add(`{"v":1,"read_ms":-9223372036854775808,"known":{"":"--------","t3_p1":5}}`)
	f.Add(`{"v":2,"known":[],"account":5}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil || v.Kind() != jsonvalue.Object || !json.Valid([]byte(text)) || !utf8.ValidString(text) {
			return
		}
		a := furnished(3)
		res := a.Run(t, func(o *sdktest.Options) { o.State = map[string]string{"saved": text} })
		if res.Exit != 0 || res.Done.Status == abi.DoneSucceeded && len(res.States) == 0 {
			t.Errorf("%+v after %d cursors, want an end in order", res.Done, len(res.States))
		}
	})
}
