package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// emitting is a run that emits notes.
func emitting(keys ...string) func(h *sdk.Host) error {
	return func(h *sdk.Host) error {
		for _, key := range keys {
			r := h.Record("notes")
			r.String("id", key)
			if err := r.Emit(); err != nil {
				return err
			}
		}
		return nil
	}
}

// A run asks for some of the missing records, and the next one goes on behind them.
func TestLookUp(t *testing.T) {
	t.Parallel()
	stored := collect(t, answers{}, nil, emitting("a", "b", "c", "d", "e")).Stored()
	for _, c := range []struct {
		after  string
		most   int
		status string // of d
		want   string // the keys with their statuses
		last   string
		left   int
		failed bool
	}{
		{"", 9, `{}`, "a 404, c 200, d 200, e 404", "e", 0, false},
		{"", 2, `{}`, "a 404, c 200", "c", 2, false},
		{"c", 3, `{}`, "d 200, e 404, a 404", "a", 1, false},
		{"e", 2, `{}`, "a 404, c 200", "c", 2, false},
		{"", 9, `503`, "a 404, c 200, d none, e 404", "e", 0, false},
		{"", 9, `429`, "a 404, c 200", "c", 2, true}, // d has no answer, and e was not asked for
	} {
		var got []string
		collect(t, answers{"/v1/notes/c": `{}`, "/v1/notes/d": c.status}, func(o *sdktest.Options) { o.Stored = stored }, func(h *sdk.Host) error {
			list, err := h.Enumerate("notes", "", "")
			if err != nil {
				return err
			}
			if err := emitting("b")(h); err != nil {
				return err
			}
			look := api.LookUp{Path: func(key string) string { return "/v1/notes/" + key }, Window: 1, Most: c.most}
			last, left, err := look.Missing(api.New(h, provider), list, c.after, func(key string, resp *sdk.Response) error {
				status := "none"
				if resp != nil {
					status = fmt.Sprint(resp.Status)
				}
				got = append(got, key+" "+status)
				return nil
			})
			if text := strings.Join(got, ", "); text != c.want || last != c.last || left != c.left || (err != nil) != c.failed {
				t.Errorf("behind %q: %s, then %q with %d left, %v; want %s, then %q with %d left, failed %v", c.after, text, last, left, err, c.want, c.last, c.left, c.failed)
			}
			return list.Whole()
		})
	}
}

func TestPlainID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"a": true, "00000000-0000-4000-8000-000000000000": true, "A_9": true, strings.Repeat("a", 40): true,
		"": false, "../me": false, "a b": false, "ä": false, strings.Repeat("a", 41): false, "a?b": false,
	} {
		if got := api.PlainID(id); got != want {
			t.Errorf("%q is plain: got %v, want %v", id, got, want)
		}
	}
}

// A provider's list does not show everything that is there. A run asks for the records that
// the list did not have, and deletes those that the provider does not find.
func ExampleLookUp_Missing() {
	stored := collect(&testing.T{}, answers{}, nil, emitting("1", "2", "3")).Stored()
	res := collect(&testing.T{}, answers{"/v1/notes/3": `{"id":"3"}`}, func(o *sdktest.Options) { o.Stored = stored }, func(h *sdk.Host) error {
		list, err := h.Enumerate("notes", "", "")
		if err != nil {
			return err
		}
		if err := emitting("1")(h); err != nil { // the list had no other note
			return err
		}
		look := api.LookUp{Path: func(key string) string { return "/v1/notes/" + key }, Window: 3, Most: 100}
		_, _, err = look.Missing(api.New(h, provider), list, "", func(key string, resp *sdk.Response) error {
			if api.Of(resp) == api.Gone {
				return h.Delete("notes", key)
			}
			return list.Met([]string{key})
		})
		if err != nil {
			return err
		}
		if err := list.Whole(); err != nil {
			return err
		}
		return h.State("notes", []byte("{}"))
	})
	for _, r := range res.Changes() {
		fmt.Println(r.Key, "deleted:", r.Delete)
	}
	// Output: 2 deleted: true
}
