package sdktest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// emitting is a run that emits rows of the stream other, as "key=value", and
// tombstones, as "-key".
func emitting(t *testing.T, rows ...string) *sdktest.Result {
	t.Helper()
	return sdktest.Collect(t, connector(func(h *sdk.Host) error {
		for _, row := range rows {
			if key, gone := strings.CutPrefix(row, "-"); gone {
				if err := h.Delete("other", key); err != nil {
					return err
				}
				continue
			}
			key, value, _ := strings.Cut(row, "=")
			if err := h.EmitRaw("other", key, fmt.Appendf(nil, `{"id":%q,"v":%q}`, key, value)); err != nil {
				return err
			}
		}
		return nil
	}), sdktest.Options{})
}

// errors records the failures of a check.
type errors struct {
	testing.TB

	list []string
}

func (*errors) Helper()             {}
func (e *errors) Error(args ...any) { e.list = append(e.list, fmt.Sprint(args...)) }

func TestStore(t *testing.T) {
	t.Parallel()
	s := sdktest.Store{}
	s.Apply(emitting(t, "a=1", "b=1", "c=1", "-c", "a=2"))
	s.Apply(emitting(t, "-b", "-never", "d=1"))
	if s.Len() != 2 || s["other"]["a"].Text("v") != "2" {
		t.Fatalf("%v, want s.Len() = 2 and s[\"other\"][\"a\"].Text(\"v\") = 2", s)
	}
	s.Holds(t, "other", "d", "a")
	s.Holds(t, "lines")
	var e errors
	s.Holds(&e, "other", "a", "x")
	s.Holds(&e, "other")
	s.Holds(&e, "lines", "y")
	want := "other d is there and should not be; other x is missing|other a is there and should not be; other d is there and should not be|lines y is missing"
	if got := strings.Join(e.list, "|"); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestStoreDiffers(t *testing.T) {
	t.Parallel()
	store := func(rows ...string) sdktest.Store {
		s := sdktest.Store{}
		s.Apply(emitting(t, rows...))
		return s
	}
	for _, c := range []struct {
		got, want sdktest.Store
		says      string
	}{
		{store("a=1", "b=2"), store("b=2", "a=1"), ""},
		{store(), store("a=1", "-a"), ""},
		{store("a=1"), store("a=2"), `other a is {"id":"a","v":"1"}, want {"id":"a","v":"2"}`},
		{store(), store("a=2"), `other a is missing`},
		{store("a=1"), store(), `other a is there and should not be`},
		{store("a=", "b=", "c=", "d=", "e=", "f=", "g="), store(), "other e is there and should not be; and 2 more"},
	} {
		if says := c.got.Differs(c.want); says != c.says && (c.says == "" || !strings.HasSuffix(says, c.says)) {
			t.Errorf("%q, want %q", says, c.says)
		}
	}
}

// Changes lists the writes of a store: records that are new or different, once each, and
// tombstones of records that are there, those of an enumeration among them.
func TestChanges(t *testing.T) {
	t.Parallel()
	first := emitting(t, "a=1", "b=1", "c=1", "d=1")
	second := sdktest.Collect(t, connector(func(h *sdk.Host) error {
		list, err := h.Enumerate("other", "", "")
		if err != nil {
			return err
		}
		for _, row := range []string{"a=1", "b=2", "b=3", "e=1", "f=1"} {
			key, value, _ := strings.Cut(row, "=")
			if err := h.EmitRaw("other", key, fmt.Appendf(nil, `{"id":%q,"v":%q}`, key, value)); err != nil {
				return err
			}
		}
		for _, key := range []string{"c", "f", "never"} {
			if err := h.Delete("other", key); err != nil {
				return err
			}
		}
		if err := list.Whole(); err != nil {
			return err
		}
		return h.State("other", []byte("{}"))
	}), sdktest.Options{Stored: first.Stored()})
	var got []string
	for _, r := range second.Changes() {
		if got = append(got, r.Key+"="+r.Text("v")); r.Delete {
			got[len(got)-1] = "-" + r.Key
		}
	}
	if want := "b=3 e=1 -c -d"; strings.Join(got, " ") != want {
		t.Errorf("changed %v, want %s", got, want)
	}
	if len(first.Changes()) != 4 || first.Stored().Len() != 4 {
		t.Errorf("the first run changed %d of %d records, want 4 of 4", len(first.Changes()), first.Stored().Len())
	}
}

// A complete slice behind an enumeration that is whole has it swept, whatever the run's end;
// a cursor that the end withholds does not.
func TestSweepOfARunThatFails(t *testing.T) {
	t.Parallel()
	for slice, want := range map[string]int{"list": 1, "": 2} {
		res := sdktest.Collect(t, connector(func(h *sdk.Host) error {
			list, err := h.Enumerate("other", "", "")
			if err != nil {
				return err
			}
			if err := list.Met([]string{"a"}); err != nil {
				return err
			}
			if err := list.Whole(); err != nil {
				return err
			}
			if slice == "" {
				err = h.State("other", []byte("{}"))
			} else {
				err = h.Slice("other", slice, []byte("{}"))
			}
			if err != nil {
				return err
			}
			return sdk.ErrStopped
		}), sdktest.Options{Stored: emitting(t, "a=1", "b=1").Stored()})
		if got := res.Stored().Len(); got != want {
			t.Errorf("slice %q: %d records are left, want %d", slice, got, want)
		}
	}
}

// A record that comes behind the end of its list is there, as the host has it.
func TestARecordBehindItsList(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, connector(func(h *sdk.Host) error {
		list, err := h.Enumerate("other", "", "")
		if err != nil {
			return err
		}
		if err := list.Whole(); err != nil {
			return err
		}
		if err := h.EmitRaw("other", "b", []byte(`{"id":"b","v":"1"}`)); err != nil {
			return err
		}
		return h.State("other", []byte("{}"))
	}), sdktest.Options{Stored: emitting(t, "a=1", "b=1").Stored()})
	res.Stored().Holds(t, "other", "b")
}
