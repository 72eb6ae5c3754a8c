package sdk_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestRecordWire(t *testing.T) {
	t.Parallel()
	res := run(t, sdktest.Options{Streams: []string{"notes"}}, func(h *sdk.Host) error {
		r := h.Record("notes")
		r.String("id", "a\"b\xff")
		r.StringOrNull("text", "")
		r.Int("int", -7)
		r.IntOrNull("no_int", 7, false)
		r.Float("float", 1.5)
		r.Float("nan", math.NaN())
		r.Bool("yes", true)
		r.Null("none")
		r.Time("time", time.Date(2025, 1, 2, 3, 4, 5, 600e6, time.FixedZone("", 3600)))
		r.Time("no_time", time.Time{})
		r.Strings("tags", []string{"x", "y\n"})
		r.Raw("raw", []byte("{\"a\":\n1}"))
		r.Raw("no_raw", nil)
		v, err := jsonvalue.Parse([]byte(`{"x":"\ud800","x":2}`))
		if err != nil {
			return err
		}
		r.Value("value", v)
		r.Value("no_value", v.Get("y"))
		return r.Emit()
	})
	want := `{"type":"RECORD","stream":"notes","key":"a\"b` + "\uFFFD" + `","data":{"id":"a\"b` + "\uFFFD" +
		`","text":null,"int":-7,"no_int":null,"float":1.5,"nan":null,"yes":true,"none":null,` +
		`"time":"2025-01-02T02:04:05.6Z","no_time":null,"tags":["x","y\n"],"raw":{"a": 1},"no_raw":null,"value":{"x":"` +
		"\uFFFD" + `"},"no_value":null},"emitted_at":"2026-01-02T03:04:05Z"}` + "\n"
	if got := res.Calls[1]; got.Name != "emit" || got.Payload != want {
		t.Errorf("got  %s %swant %s", got.Name, got.Payload, want)
	}
	if res.Done.Status != abi.DoneSucceeded || res.Done.RecordsEmitted != 1 || res.Exit != 0 {
		t.Errorf("DONE is %+v, exit %d, want Done.Status = %v, Done.RecordsEmitted = 1 and Exit = 0", res.Done, res.Exit, abi.DoneSucceeded)
	}
}

// A stream whose primary key is not "id" loses no rows (runtime contract, section 3.2).
func TestKeyFromPrimaryKey(t *testing.T) {
	t.Parallel()
	res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
		for _, span := range []string{"short", "medium", "long"} {
			r := h.Record("top")
			r.String("time_range", span) // the order of setting does not matter
			r.Int("id", 7)
			if err := r.Emit(); err != nil {
				return err
			}
		}
		p := h.Record("profile")
		p.Raw("steamid", []byte(`"\u0037\ud83d\ude00"`))
		if err := p.Emit(); err != nil {
			return err
		}
		l := h.Record("log")
		l.Int("n", 12)
		return l.Emit()
	})
	if got, want := res.Keys("top"), []string{`["7","short"]`, `["7","medium"]`, `["7","long"]`}; !slices.Equal(got, want) {
		t.Errorf("composite keys %v, want %v", got, want)
	}
	if got := res.Keys("profile"); !slices.Equal(got, []string{"7😀"}) {
		t.Errorf("profile keys %q, want %q", got, []string{"7😀"})
	}
	if got := res.Keys("log"); !slices.Equal(got, []string{"12"}) {
		t.Errorf("number keys %q, want %q", got, []string{"12"})
	}
}

// Key is what a tombstone and Enumeration.Missing name the record by.
func TestKeyOfABuilder(t *testing.T) {
	t.Parallel()
	run(t, sdktest.Options{}, func(h *sdk.Host) error {
		var got []string
		note, top := h.Record("notes"), h.Record("top")
		got = append(got, note.Key())
		note.String("id", "a\"b")
		top.String("time_range", "short")
		got = append(got, note.Key(), top.Key())
		top.String("id", "x")
		got = append(got, top.Key(), h.Record("none").Key())
		note.Reset()
		note.String("id", strings.Repeat("x", abi.MaxKeyBytes+1))
		got = append(got, note.Key())
		if want := []string{"", `a"b`, "", `["x","short"]`, "", ""}; !slices.Equal(got, want) {
			t.Errorf("got the keys %q, want %q", got, want)
		}
		note.Reset()
		top.Reset()
		return nil
	})
}

func TestMissingKeyIsASkip(t *testing.T) {
	t.Parallel()
	res := run(t, sdktest.Options{Tolerate: true}, func(h *sdk.Host) error {
		for i := range 25 {
			r := h.Record("notes")
			switch i % 3 {
			case 0:
				r.String("id", "")
			case 1:
				r.Null("id")
			}
			if err := r.Emit(); err != nil {
				return err
			}
		}
		return note(h, "good")
	})
	if len(res.Skips) != 11 || !strings.HasPrefix(res.Skips[10].Message, "15 more") {
		t.Errorf("%d skips, the last %+v; want 10 and one for the rest", len(res.Skips), res.Skips[len(res.Skips)-1])
	}
	if got := res.Keys("notes"); !slices.Equal(got, []string{"good"}) || res.Done.Status != abi.DoneSucceeded {
		t.Errorf("keys %q, DONE %+v, want got = %q and Done.Status = %v", got, res.Done, []string{"good"}, abi.DoneSucceeded)
	}
}

func TestTooLargeIsASkip(t *testing.T) {
	t.Parallel()
	for _, size := range []int{abi.MaxRecordBytes - 200, abi.MaxRecordBytes} {
		res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
			if err := note(h, "before"); err != nil {
				return err
			}
			r := h.Record("notes")
			r.String("id", "large")
			r.String("text", strings.Repeat("x", size))
			if err := r.Emit(); err != nil {
				return err
			}
			return note(h, "after")
		})
		want := []string{"before", "large", "after"}
		if size == abi.MaxRecordBytes {
			want = []string{"before", "after"}
			if len(res.Skips) != 1 || res.Skips[0].Reason != "record_too_large" ||
				!slices.Equal(res.Skips[0].ResourceIDs, []string{"large"}) {
				t.Errorf("skips %+v, want len(res.Skips) = 1, Skips[0].Reason = record_too_large and Skips[0].ResourceIDs = %q", res.Skips, []string{"large"})
			}
		}
		if got := res.Keys("notes"); !slices.Equal(got, want) || res.Done.RecordsEmitted != int64(len(want)) {
			t.Errorf("size %d: keys %q, DONE %+v, want got = %v and Done.RecordsEmitted = %v", size, got, res.Done, want, int64(len(want)))
		}
	}
}

// AC-04: a connector that asks for it tells of a record that is too large itself. Another one that is withheld is told as before.
func TestOnTooLarge(t *testing.T) {
	t.Parallel()
	var told string
	refused := &abi.Error{Code: "demo_refused", Message: "x"}
	for _, want := range []error{nil, refused} {
		res := run(t, sdktest.Options{Tolerate: true}, func(h *sdk.Host) error {
			h.OnTooLarge(func(stream string, size int64) error {
				if size <= abi.MaxRecordBytes {
					t.Errorf("got %d bytes, want more than %d", size, abi.MaxRecordBytes)
				}
				told += stream + ", "
				return want
			})
			for _, id := range []string{"large", ""} {
				r := h.Record("notes")
				r.String("id", id)
				r.String("text", strings.Repeat("x", abi.MaxRecordBytes))
				if err := r.Emit(); err != nil {
					return err
				}
			}
			return note(h, "after")
		})
		if (res.Done.Status == abi.DoneSucceeded) != (want == nil) {
			t.Errorf("with %v: got %+v", want, res.Done)
		}
		if want == nil && (len(res.Skips) != 1 || res.Skips[0].Reason != "record_key_missing" || !slices.Equal(res.Keys("notes"), []string{"after"})) {
			t.Errorf("got %+v and %q, want the record without a key told, and the other one collected", res.Skips, res.Keys("notes"))
		}
	}
	if told != strings.Repeat("notes, ", 2) {
		t.Errorf("told of %q, want it once each run", told)
	}
}

func TestBatching(t *testing.T) {
	t.Parallel()
	const n = 2000
	res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
		for i := range n {
			if err := note(h, fmt.Sprint(i)); err != nil {
				return err
			}
		}
		if h.Emitted() != n {
			t.Errorf("Emitted is %d, want %d", h.Emitted(), n)
		}
		return h.State("notes", []byte(`{"n":2000}`))
	})
	emits := 0
	for i, c := range res.Calls {
		if c.Name != "emit" {
			continue
		}
		if emits++; len(c.Payload) > abi.EmitFlushBytes+1000 {
			t.Errorf("a batch of %d bytes, want at most %d", len(c.Payload), abi.EmitFlushBytes+1000)
		}
		if len(c.Payload) < abi.EmitFlushBytes && res.Calls[i+1].Name != "state" {
			t.Errorf("a batch of %d bytes before %s, want a full batch or a state behind it", len(c.Payload), res.Calls[i+1].Name)
		}
	}
	if emits != 4 || len(res.Records("notes")) != n {
		t.Errorf("%d batches, %d records, want 4 and %d", emits, len(res.Records("notes")), n)
	}
	if last := res.Calls[len(res.Calls)-2].Name; last != "state" {
		t.Errorf("before DONE came %s, want state", last)
	}
}

func TestUndeclaredStream(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(h *sdk.Host) error{
		"record": func(h *sdk.Host) error { r := h.Record("nope"); r.String("id", "x"); return r.Emit() },
		"raw":    func(h *sdk.Host) error { return h.EmitRaw("nope", "x", []byte("{}")) },
		"delete": func(h *sdk.Host) error { return h.Delete("nope", "x") },
		"state":  func(h *sdk.Host) error { return h.State("nope", nil) },
		"skip":   func(h *sdk.Host) error { return h.Skip(abi.SkipResult{Stream: "nope"}) },
		"lane":   func(h *sdk.Host) error { return h.Lane("nope", "notes").Require("x") },
		"parent": func(h *sdk.Host) error { return h.Lane("notes", "nope").Require("x") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := run(t, sdktest.Options{}, f)
			if res.Done.Status != abi.DoneFailed || res.Done.Error.Code != string(abi.CodeStreamUnknown) {
				t.Errorf("DONE %+v, want Done.Status = %v and Done.Error.Code = %v", res.Done, abi.DoneFailed, string(abi.CodeStreamUnknown))
			}
		})
	}
}

// A record names the key that it had, unless no record can have had it. That is said of it alone.
func TestMovedFrom(t *testing.T) {
	t.Parallel()
	emit := func(h *sdk.Host, stream, id string, from ...string) error {
		r := h.Record(stream)
		r.MovedFrom(from...)
		r.String(map[string]string{"notes": "id", "top": "id", "log": "n"}[stream], id)
		if stream == "top" {
			r.String("time_range", "long")
		}
		return r.Emit()
	}
	res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
		for _, from := range []string{"a", "b", strings.Repeat("x", 5000), "\x00"} {
			if err := emit(h, "notes", "b", from); err != nil {
				return err
			}
		}
		for _, err := range []error{emit(h, "notes", "c", "a", "b"), emit(h, "notes", "c", "")} {
			if err == nil {
				t.Error("an invalid key was accepted, want an error")
			}
		}
		if err := errors.Join(emit(h, "top", "8", "7", "long"), emit(h, "log", "c", "a")); err != nil {
			return err
		}
		r := h.Record("top")
		r.String("id", "9")
		r.String("time_range", "long")
		if err := r.Emit(); err != nil {
			return err
		}
		return h.EmitRaw("notes", "d", []byte(`{"id":"d"}`))
	})
	var got []string
	for _, r := range res.All {
		got = append(got, r.MovedFrom+">"+r.Key)
	}
	if want := `a>b >b >b >b ["7","long"]>["8","long"] a>c >["9","long"] >d`; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// RT-07.1 and RT-07.2.
func TestDelete(t *testing.T) {
	t.Parallel()
	res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
		if err := h.Delete("notes", "a"); err != nil {
			return err
		}
		if err := h.Delete("top", "7", "short"); err != nil {
			return err
		}
		for _, err := range []error{
			h.Delete("log", "1"), h.Delete("notes"), h.Delete("notes", ""), h.Delete("top", "7"), h.Delete("notes", "a", "b"),
		} {
			if err == nil {
				t.Error("an invalid tombstone was accepted, want an error")
			}
		}
		return nil
	})
	if res.Deletes("notes")[0].Key != "a" || res.Deletes("top")[0].Key != `["7","short"]` || res.Done.RecordsEmitted != 2 {
		t.Errorf("got %+v, want the notes' a deleted, one of the tops, and two records", res.All)
	}
}
