package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// reading is what one reading of a list comes to: its keys, "-" for a row that cannot be
// read, and a length that is not theirs, if any.
type reading struct {
	keys   string
	length int64
}

// settle settles a list over readings, the last of which repeats.
func settle(t *testing.T, store sdktest.Store, ranked bool, readings ...reading) (how api.Settled, read int, res *sdktest.Result) {
	t.Helper()
	res = sdktest.Collect(t, connector(func(h *sdk.Host) error {
		list, err := h.Enumerate("notes", "", "")
		if err != nil {
			return err
		}
		how, _, err = api.Settle(list, func() (api.Pass, error) {
			one := readings[min(read, len(readings)-1)]
			read++
			keys := strings.Fields(one.keys)
			p := api.Pass{Ranked: ranked}
			p.Page(int64(len(keys)) + one.length)
			for _, key := range keys {
				if key == "-" {
					p.Row("")
					continue
				}
				p.Row(key)
				r := h.Record("notes")
				r.String("id", key)
				if err := r.Emit(); err != nil {
					return p, err
				}
			}
			return p, nil
		})
		if err != nil {
			return err
		}
		return h.State("notes", []byte("{}"))
	}), sdktest.Options{Stored: store})
	return how, read, res
}

func TestSettle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		readings []reading
		ranked   bool
		want     api.Settled
		read     int
		left     string
	}{
		"nothing is missing":               {[]reading{{"a b c", 0}}, false, api.Whole, 1, "a b c"},
		"one is gone":                      {[]reading{{"a c", 0}}, false, api.Whole, 2, "a c"},
		"one was hidden":                   {[]reading{{"a c", 0}, {"a b c", 0}}, false, api.Moving, 2, "a b c"},
		"another is hidden each time":      {[]reading{{"a c", 0}, {"a b", 0}}, false, api.Moving, 2, "a b c"},
		"the length is wrong":              {[]reading{{"a c", 5}}, false, api.Unstable, 2, "a b c"},
		"the length is wrong once":         {[]reading{{"a", 5}, {"a c", 0}, {"a c", 0}}, false, api.Moving, 3, "a c"},
		"the length is wrong in between":   {[]reading{{"a c", 0}, {"a", 1}, {"a c", 0}}, false, api.Moving, 4, "a c"},
		"never the same":                   {[]reading{{"a", 1}, {"b", 1}, {"a b", 1}, {"c", 1}}, false, api.Unstable, 4, "a b c"},
		"a row cannot be read":             {[]reading{{"a - c", 0}}, false, api.Holes, 1, "a b c"},
		"such a row, and nothing missing":  {[]reading{{"a - b c", 0}}, false, api.Whole, 1, "a b c"},
		"a ranking":                        {[]reading{{"a c", 50}}, true, api.Whole, 2, "a c"},
		"everything is gone":               {[]reading{{"", 0}}, false, api.Whole, 2, ""},
		"everything is gone, says no page": {[]reading{{"", -1}}, false, api.Whole, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := sdktest.Store{}
			_, _, first := settle(t, nil, false, reading{"a b c", 0})
			store.Apply(first)
			how, read, res := settle(t, store, c.ranked, c.readings...)
			store = res.Stored()
			var left []string
			for _, key := range []string{"a", "b", "c"} {
				if _, there := store["notes"][key]; there {
					left = append(left, key)
				}
			}
			if how != c.want || read != c.read || strings.Join(left, " ") != c.left {
				t.Errorf("ended %v after %d readings with %q, want %v after %d with %q", how, read, left, c.want, c.read, c.left)
			}
		})
	}
}

// A list that may have hidden rows that nobody knows of is read twice, whatever it has met,
// unless an earlier run has done the other reading.
func TestListThatShifts(t *testing.T) {
	t.Parallel()
	for earlier, want := range []int{2, 1} {
		if read := readings(t, api.Pass{Shifts: true, Earlier: earlier}); read != want {
			t.Errorf("after %d earlier readings: read %d times, want %d", earlier, read, want)
		}
	}
}

// readings counts how often a list is read that comes to nothing but what p says of it.
func readings(t *testing.T, p api.Pass) (read int) {
	t.Helper()
	collect(t, answers{}, nil, func(h *sdk.Host) error {
		list, err := h.Enumerate("notes", "", "")
		if err != nil {
			return err
		}
		_, _, err = api.Settle(list, func() (api.Pass, error) {
			read++
			return p, nil
		})
		return err
	})
	return read
}

// Two lists of one enumeration: each has its own length.
func TestPassOfTwoLists(t *testing.T) {
	t.Parallel()
	for second, want := range map[int64]api.Settled{1: api.Whole, 2: api.Unstable} {
		res := sdktest.Collect(t, connector(func(h *sdk.Host) error {
			list, err := h.Enumerate("notes", "", "")
			if err != nil {
				return err
			}
			how, last, err := api.Settle(list, func() (api.Pass, error) {
				var p api.Pass
				p.Page(2)
				p.Row("a")
				p.Row("b")
				p.List()
				p.Page(second)
				p.Row("c")
				return p, nil
			})
			if how != want || last.Rows() != 1 || last.Total() != second {
				t.Errorf("a second list of %d rows: ended %v with %d rows of %d, want %v with 1 of %d", second, how, last.Rows(), last.Total(), want, second)
			}
			return err
		}), sdktest.Options{})
		if res.Failure() != "" {
			t.Error(res.Failure())
		}
	}
}

// A connector of a list that it reads page by page. The host deletes the records that the
// provider no longer lists, and the connector keeps no list of its own.
func ExampleCollect() {
	notes := api.Stream{Name: "notes", Collect: func(c *api.Client) error {
		list, err := c.Enumerate("notes", "", "")
		if err != nil {
			return err
		}
		pages := c.Pages(api.PageNumber("/v1/notes", "notes", "page", 1, 2), "")
		for pages.Next() {
			for it := pages.Page().Items.Children(); it.Next(); {
				r := c.Record("notes")
				r.Copy("id", it.Value().Get("id"))
				r.Copy("text", it.Value().Get("text"))
				if err := r.Emit(); err != nil {
					return err
				}
			}
			if err := c.Step("reading notes", c.Emitted()); err != nil {
				return err
			}
		}
		if err := pages.Err(); err != nil {
			return err
		}
		if err := list.Whole(); err != nil {
			return err
		}
		return c.State("notes", []byte("{}"))
	}}
	run := func(h *sdk.Host) error { // the connector's Collect
		return api.Collect(h, api.Provider{Name: "Notes", Origin: "https://api.notes.example", Slot: "notes"}, api.Table{Streams: []api.Stream{notes}})
	}
	first := collect(&testing.T{}, answers{
		"/v1/notes?page=1": `{"notes":[{"id":"1","text":"milk"},{"id":"2","text":"tea"}]}`,
		"/v1/notes?page=2": `{"notes":[{"id":"3","text":"salt"}]}`,
		"/v1/notes?page=3": `{"notes":[]}`, // a short page may be one that the provider has capped
	}, nil, run)
	fmt.Println(first.Keys("notes"))
	second := first.SecondRun(&testing.T{}, func(o *sdktest.Options) {
		o.Provider = answers{"/v1/notes?page=1": `{"notes":[{"id":"1","text":"milk"}]}`, "/v1/notes?page=2": `{"notes":[]}`}
	})
	for _, r := range second.Changes() {
		fmt.Println(r.Key, "deleted:", r.Delete)
	}
	// Output:
	// [1 2 3]
	// 2 deleted: true
	// 3 deleted: true
}

// A list that shifts while it is read is read again until it is known what is gone.
func ExampleSettle() {
	shifting := []string{"a c", "a b c"} // b was hidden by a shift, and is not gone
	read := 0
	collect := func(h *sdk.Host) error { // the connector's Collect
		list, err := h.Enumerate("notes", "", "")
		if err != nil {
			return err
		}
		_, _, err = api.Settle(list, func() (api.Pass, error) {
			var p api.Pass
			keys := strings.Fields(shifting[min(read, len(shifting)-1)])
			read++
			p.Page(int64(len(keys)))
			for _, key := range keys {
				p.Row(key)
				r := h.Record("notes")
				r.String("id", key)
				if err := r.Emit(); err != nil {
					return p, err
				}
			}
			return p, nil
		})
		if err != nil {
			return err
		}
		return h.State("notes", []byte("{}"))
	}
	stored := sdktest.Collect(&testing.T{}, connector(func(h *sdk.Host) error {
		r := h.Record("notes")
		r.String("id", "b")
		return r.Emit()
	}), sdktest.Options{}).Stored()
	res := sdktest.Collect(&testing.T{}, connector(collect), sdktest.Options{Stored: stored})
	_, there := res.Stored()["notes"]["b"]
	fmt.Println(read, "readings, b is there:", there)
	// Output: 2 readings, b is there: true
}
