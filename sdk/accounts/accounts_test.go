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
	return `{"connector_key":"notes","streams":[{"name":"notes","primary_key":["id"],"semantics":"mutable_state"}]}`
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
		i.Emitted, i.Unchanged, i.Merged = 1, 2, 3
		for n := range 1000 { // sends what was counted so far
			b.Read("notes", fmt.Sprint(n))
		}
		b.Items("notes").Duplicate++
		i.KeptBack++
		i.NotRecord++
		i.Cut++
		return nil
	}), sdktest.Options{})
	got := res.Items("notes")
	got.Unknown = nil
	if want := (abi.StreamAccount{Stream: "notes", Met: 9, Emitted: 1, Unchanged: 2, Merged: 3, Duplicate: 1, KeptBack: 1, NotRecord: 1, Cut: 1}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if len(res.Accounts) != 2 {
		t.Errorf("got %d messages, want 2", len(res.Accounts))
	}
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
		items.Emitted++
		items.Unknown("X-MOOD")
		return nil
	}), sdktest.Options{})
	fmt.Println(res.File("notes", "may.txt"), res.File("notes", "june.xyz"))
	fmt.Println(res.Items("notes").Unknown)
	// Output:
	// read unknown
	// [{X-MOOD 1}]
}
