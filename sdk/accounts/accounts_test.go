package accounts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// notes is a connector of one stream whose Collect is a function.
type notes func(h *sdk.Host) error

func (notes) Manifest() string {
	return `{"connector_key":"notes","streams":[{"name":"notes","primary_key":["id"],"consent_time_field":"at","semantics":"mutable_state"}]}`
}

func (c notes) Collect(h *sdk.Host) error { return c(h) }

// AC-02: every word on a file arrives, the last one counts, and it costs a call for a thousand.
func TestFiles(t *testing.T) {
	t.Parallel()
	const many = 2500
	res := sdktest.Collect(t, notes(func(h *sdk.Host) error {
		b := accounts.Open(h)
		b.Unknown("notes", "a.txt")
		b.Read("notes", "a.txt")
		b.Known("notes", "b.txt", "too_old")
		b.Damaged("notes", "c/é.txt", "cut")
		b.Unknown("notes", "d.txt")
		for i := range many {
			b.Read("notes", fmt.Sprint(i))
		}
		e := accounts.Entries{Read: 2, Rule: 1}
		e.Unknown("Timeline.json")
		b.Archive("notes", "t.zip", abi.FileRead, "", &e)
		return nil
	}), sdktest.Options{})
	for path, want := range map[string]string{
		"a.txt": abi.FileRead, "b.txt": abi.FileKnown, "c/é.txt": abi.FileDamaged, "d.txt": abi.FileUnknown, "2499": abi.FileRead, "t.zip": abi.FileRead, "e": "",
	} {
		if got := res.File("notes", path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if e := res.Entries("notes", "t.zip"); e == nil || e.Count != 4 || e.Unknown != 1 || !slices.Equal(e.Names, []string{"Timeline.json"}) {
		t.Errorf("entries: got %+v, want 4, of which Timeline.json is unknown", e)
	}
	if n := len(res.Accounts); n < 3 || n > 4 {
		t.Errorf("got %d messages for %d files, want 3 or 4", n, many)
	}
}

// AC-04: the counts of a stream add up over the messages of a run.
func TestItems(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, notes(func(h *sdk.Host) error {
		b := accounts.Open(h)
		i := b.Items("notes")
		i.Unchanged, i.Merged = 2, 3
		if err := emit(h, "a"); err != nil {
			return err
		}
		for n := range 1000 { // sends what was counted so far
			b.Read("notes", fmt.Sprint(n))
		}
		b.Items("notes").Duplicate++
		i.KeptBack++
		i.NotRecord++
		i.Cut++
		if err := h.EmitRaw("notes", strings.Repeat("k", abi.MaxKeyBytes), []byte(`{}`)); err != nil {
			return err
		}
		return emit(h, "b", "\x00")
	}), sdktest.Options{})
	got := res.Items("notes")
	got.Unknown = nil
	if want := (abi.StreamAccount{Stream: "notes", Met: 12, Emitted: 2, Unchanged: 2, Merged: 3, Duplicate: 1, KeptBack: 3, NotRecord: 1, Cut: 1}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if len(res.Accounts) != 2 {
		t.Errorf("got %d messages, want 2", len(res.Accounts))
	}
}

// AC-04: a record that the scope leaves out is an item, and none that was emitted; so it is for
// records that come as finished JSON.
func TestItemsOutsideTheScope(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, notes(func(h *sdk.Host) error {
		accounts.Open(h).Items("notes")
		for _, id := range []string{"a", "b"} {
			if err := h.EmitRaw("notes", id, []byte(`{"id":"`+id+`","at":"2026-01-02T00:00:00Z"}`)); err != nil {
				return err
			}
		}
		if err := h.EmitRaw("notes", "a", []byte(`{"id":"a","at":"2025-01-02T00:00:00Z"}`)); err != nil {
			return err
		}
		if err := emit(h, "a"); err != nil { // without a time
			return err
		}
		return h.Delete("notes", "d")
	}), sdktest.Options{Scope: []abi.StreamScope{{
		Name: "notes", Resources: []string{"a", "d"}, TimeRange: &abi.TimeRange{Since: "2026-01-01T00:00:00Z"},
	}}})
	if got := res.Items("notes"); got.Met != 4 || got.Emitted != 1 || got.NotRecord != 3 || got.Outside != 2 {
		t.Errorf("got %+v, want 4 items: 1 emitted, 3 outside, 2 of them of another time", got)
	}
}

// Items that the time range of a run leaves out are counted apart from those that its keys do.
func TestItemsOfAnotherTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options sdktest.Options
		want    abi.StreamAccount
	}{
		"a time": {sdktest.Options{Scope: []abi.StreamScope{{Name: "notes", TimeRange: &abi.TimeRange{Since: "2026-01-01T00:00:00Z"}}}},
			abi.StreamAccount{Stream: "notes", Met: 4, Emitted: 1, KeptBack: 1, NotRecord: 2, Outside: 2}},
		"a time and keys": {sdktest.Options{Scope: []abi.StreamScope{{Name: "notes", Resources: []string{"a", "b"}, TimeRange: &abi.TimeRange{Since: "2026-01-01T00:00:00Z"}}}},
			abi.StreamAccount{Stream: "notes", Met: 4, Emitted: 1, KeptBack: 1, NotRecord: 2, Outside: 1}},
		"keys": {sdktest.Options{Scope: []abi.StreamScope{{Name: "notes", Resources: []string{"a"}}}}, abi.StreamAccount{Stream: "notes", Met: 4, Emitted: 1, KeptBack: 1, NotRecord: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.options.Tolerate = true
			res := sdktest.Collect(t, notes(func(h *sdk.Host) error {
				accounts.Open(h).Items("notes")
				if err := h.EmitRaw("notes", "a", []byte(`{"id":"a","at":"2026-01-02T00:00:00Z"}`)); err != nil {
					return err
				}
				if err := h.EmitRaw("notes", "b", []byte(`{"id":"b","at":"2025-01-02T00:00:00Z"}`)); err != nil {
					return err
				}
				return emit(h, "c", "")
			}), c.options)
			if got := res.Items("notes"); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// AC-04: a record that is too large, or has no key, is kept back and counted once.
func TestItemsThatAreKeptBack(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(h *sdk.Host) error{
		"too large": func(h *sdk.Host) error {
			return h.EmitRaw("notes", "a", []byte(`{"id":"a","text":"`+strings.Repeat("x", abi.MaxRecordBytes)+`"}`))
		},
		"no key":       func(h *sdk.Host) error { return emit(h, "") },
		"no key, made": func(h *sdk.Host) error { return h.EmitRaw("notes", "", []byte(`{}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := sdktest.Collect(t, notes(func(h *sdk.Host) error {
				accounts.Open(h).Items("notes")
				return send(h)
			}), sdktest.Options{Tolerate: true})
			if got := res.Items("notes"); got.Met != 1 || got.KeptBack != 1 {
				t.Errorf("got %+v, want one that is kept back", got)
			}
		})
	}
}

// emit emits a record for each id.
func emit(h *sdk.Host, ids ...string) error {
	for _, id := range ids {
		r := h.Record("notes")
		r.String("id", id)
		if err := r.Emit(); err != nil {
			return err
		}
	}
	return nil
}

// AC-05: names that are not known are told with their counts, and no more than 64 of them.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 200)
	res := sdktest.Collect(t, notes(func(h *sdk.Host) error {
		i := accounts.Open(h).Items("notes")
		i.Unknown("X-A")
		i.Unknown("X-A")
		i.Unknown("")
		i.Unknown(long)
		for n := range 500 {
			i.Unknown(fmt.Sprint("n", n))
		}
		return nil
	}), sdktest.Options{})
	names, total := map[string]int64{}, int64(0)
	for _, u := range res.Items("notes").Unknown {
		names[u.Name] = u.Count
		total += u.Count
	}
	if len(names) != abi.MaxAccountNames || total != 504 || names["X-A"] != 2 || names["(empty)"] != 1 || names[long[:100]] != 1 || names["(others)"] != 440 {
		t.Errorf("got %d names that count %d: %v, want 64 that count 504", len(names), total, names)
	}
}

// A run that says nothing sends nothing, and a refusal fails it.
func TestNothing(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, notes(func(h *sdk.Host) error {
		accounts.Open(h).Items("notes")
		return nil
	}), sdktest.Options{})
	if len(res.Accounts) != 0 || res.Done.Status != abi.DoneSucceeded {
		t.Errorf("got %d messages and %s, want 0 and %s", len(res.Accounts), res.Done.Status, abi.DoneSucceeded)
	}
}

func ExampleBooks() {
	res := sdktest.Collect(&testing.T{}, notes(func(h *sdk.Host) error {
		books := accounts.Open(h)
		books.Read("notes", "may.txt")
		books.Unknown("notes", "june.xyz")
		items := books.Items("notes")
		items.NotRecord++
		items.Unknown("X-MOOD")
		return nil
	}), sdktest.Options{})
	fmt.Println(res.File("notes", "may.txt"), res.File("notes", "june.xyz"))
	fmt.Println(res.Items("notes").Unknown)
	// Output:
	// read unknown
	// [{X-MOOD 1}]
}
