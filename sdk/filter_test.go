package sdk_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// Filters drop silently, before anything is sent: sdktest fails the test when
// a record outside the scope reaches it. RT-05.1, RT-05.2.
func TestResourcesFilter(t *testing.T) {
	t.Parallel()
	scope := []abi.StreamScope{
		{Name: "notes", Resources: []string{"b", "ü\n"}},
		{Name: "top", Resources: []string{`["7", "sh\u006frt"]`}},
		{Name: "log", Resources: []string{}},
	}
	res := run(t, sdktest.Options{Scope: scope}, func(h *sdk.Host) error {
		for _, id := range []string{"a", "b", "ü\n"} {
			if err := note(h, id); err != nil {
				return err
			}
			if err := h.EmitRaw("notes", id, []byte(`{"id":`+quoted(id)+`}`)); err != nil {
				return err
			}
			if err := h.Delete("notes", id); err != nil {
				return err
			}
		}
		for _, span := range []string{"short", "long"} {
			r := h.Record("top")
			r.Int("id", 7)
			r.String("time_range", span)
			if err := r.Emit(); err != nil {
				return err
			}
		}
		r := h.Record("log")
		r.Int("n", 1)
		if err := r.Emit(); err != nil {
			return err
		}
		r = h.Record("profile") // out of scope
		r.String("steamid", "x")
		return r.Emit()
	})
	if got := res.Keys("notes"); !slices.Equal(got, []string{"b", "b", "ü\n", "ü\n"}) {
		t.Errorf("notes %q, want %q", got, []string{"b", "b", "ü\n", "ü\n"})
	}
	if n := len(res.Deletes("notes")); n != 2 {
		t.Errorf("%d tombstones, want 2", n)
	}
	if got := res.Keys("top"); !slices.Equal(got, []string{`["7","short"]`}) {
		t.Errorf("top %q, want %q", got, []string{`["7","short"]`})
	}
	if len(res.Keys("log")) != 1 || len(res.Keys("profile")) != 0 || res.Done.Status != abi.DoneSucceeded {
		t.Errorf("%+v, want len(res.Keys(\"log\")) = 1, len(res.Keys(\"profile\")) = 0 and Done.Status = %v", res.All, abi.DoneSucceeded)
	}
}

func quoted(s string) string {
	if s == "ü\n" {
		return `"ü\n"`
	}
	return `"` + s + `"`
}

func TestFieldsFilter(t *testing.T) {
	t.Parallel()
	scope := []abi.StreamScope{{Name: "notes", Fields: []string{"text"}}, {Name: "top", Fields: []string{"n"}}}
	res := run(t, sdktest.Options{Scope: scope}, func(h *sdk.Host) error {
		r := h.Record("notes")
		r.String("secret", "x")
		r.String("id", "a")
		r.Strings("tags", nil)
		r.String("text", "t")
		r.Null("more")
		if err := r.Emit(); err != nil {
			return err
		}
		if err := h.EmitRaw("notes", "b", []byte(`{"secret":1,"id":"b","text":"t","more":[1]}`)); err != nil {
			return err
		}
		return h.EmitRawKey("top", []string{"7", "short"}, []byte("{\"id\":7,\"time_range\":\"short\",\n\"n\":1,\"m\":2}"))
	})
	want := []string{`{"id":"a","text":"t"}`, `{"id":"b","text":"t"}`, `{"id":7,"time_range":"short","n":1}`}
	for i, rec := range res.All {
		if string(rec.Data) != want[i] {
			t.Errorf("data %s, want %s", rec.Data, want[i])
		}
	}
	if len(res.All) != 3 {
		t.Errorf("%d records, want 3", len(res.All))
	}
}

func TestTimeFilter(t *testing.T) {
	t.Parallel()
	scope := []abi.StreamScope{{Name: "notes", TimeRange: &abi.TimeRange{Since: "2025-01-01T00:00:00Z", Until: "2025-02-01T00:00:00+01:00"}}}
	at := map[string]string{
		"before": "2024-12-31T23:59:59.999Z", "since": "2025-01-01T00:00:00Z", "zone": "2025-01-01T00:30:00+01:00",
		"last": "2025-01-31T22:59:59Z", "until": "2025-01-31T23:00:00Z", "none": "", "bad": "yesterday",
	}
	want := []string{"last", "since"}
	ways := map[string]func(h *sdk.Host, id, at string) error{
		"string": func(h *sdk.Host, id, at string) error {
			r := h.Record("notes")
			r.String("at", at)
			r.String("id", id)
			return r.Emit()
		},
		"raw": func(h *sdk.Host, id, at string) error {
			r := h.Record("notes")
			r.String("id", id)
			r.Raw("at", []byte(`"`+at+`"`))
			return r.Emit()
		},
		"value": func(h *sdk.Host, id, at string) error {
			v, err := jsonvalue.Parse([]byte(`"` + at + `"`))
			if err != nil {
				return err
			}
			r := h.Record("notes")
			r.String("id", id)
			r.Value("at", v)
			return r.Emit()
		},
		"time": func(h *sdk.Host, id, at string) error {
			r := h.Record("notes")
			r.String("id", id)
			v, _ := time.Parse(time.RFC3339, at)
			r.Time("at", v)
			return r.Emit()
		},
		"prebuilt": func(h *sdk.Host, id, at string) error {
			return h.EmitRaw("notes", id, []byte(`{"id":"`+id+`","at":"`+at+`"}`))
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := run(t, sdktest.Options{Scope: scope}, func(h *sdk.Host) error {
				for id, text := range at {
					if err := way(h, id, text); err != nil {
						return err
					}
				}
				return nil
			})
			got := res.Keys("notes")
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("passed %q, want %q", got, want)
			}
		})
	}
}
