package sdk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"nil":     {nil, `{"type":"DONE","status":"succeeded","records_emitted":1}`},
		"stopped": {fmt.Errorf("in a walk: %w", sdk.ErrStopped), `{"type":"DONE","status":"cancelled","records_emitted":1}`},
		"failure": {fmt.Errorf("x: %w", &sdk.Failure{Code: "a_b", Message: "m", Retryable: true, Hint: "refresh_credentials"}),
			`{"type":"DONE","status":"failed","records_emitted":1,"error":{"code":"a_b","message":"m","retryable":true,"recovery_hint":"refresh_credentials"}}`},
		"hint": {&sdk.Failure{Message: "m", Hint: "pray"},
			`{"type":"DONE","status":"failed","records_emitted":1,"error":{"code":"connector_failed","message":"m","retryable":false,"recovery_hint":"unknown"}}`},
		"typed": {abi.NewError(abi.CodeRootMissing, "m", ""),
			`{"type":"DONE","status":"failed","records_emitted":1,"error":{"code":"files.root_missing","message":"m [files.root_missing]","retryable":false}}`},
		"plain": {errors.New("m"),
			`{"type":"DONE","status":"failed","records_emitted":1,"error":{"code":"connector_failed","message":"m","retryable":false}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
				if err := note(h, "a"); err != nil {
					return err
				}
				return c.err
			})
			if got := res.Calls[len(res.Calls)-1]; got.Name != "done" || got.Payload != c.want {
				t.Errorf("got  %+v\nwant %s", got, c.want)
			}
		})
	}
}

// A stop shows in the answer to a call. The connector returns ErrStopped, the batched
// records still go out, and DONE counts them.
func TestStop(t *testing.T) {
	t.Parallel()
	n := 0
	res := run(t, sdktest.Options{StopAfter: 2}, func(h *sdk.Host) error {
		for ; n < 5000; n++ {
			if h.Stopping() {
				return sdk.ErrStopped
			}
			if err := note(h, fmt.Sprint(n)); err != nil {
				return err
			}
		}
		return nil
	})
	if res.Done.Status != abi.DoneCancelled || res.Done.RecordsEmitted != int64(n) || n == 5000 || n == 0 {
		t.Errorf("after %d records DONE is %+v, want Done.Status = %v, Done.RecordsEmitted = %v, n not 5000 and n not 0", n, res.Done, abi.DoneCancelled, int64(n))
	}
}

// A batch that the host refused is not counted, and the run cannot succeed even
// when the connector goes on as if nothing was.
func TestRefusal(t *testing.T) {
	t.Parallel()
	emits := 0
	refuse := func(call string, _ []byte) *abi.Error {
		if call == "emit" {
			if emits++; emits == 2 {
				return abi.NewError(abi.CodeSchemaMismatch, "because", "")
			}
		}
		return nil
	}
	var first error
	res := run(t, sdktest.Options{Before: refuse}, func(h *sdk.Host) error {
		for i := range 3 {
			if err := note(h, fmt.Sprint(i)); err != nil {
				t.Error("before the refusal:", err)
			}
			if err := h.State("notes", []byte(`{}`)); err != nil && first == nil {
				first = err
			}
			if i == 1 {
				if err := note(h, "after"); err == nil {
					t.Error("Emit hides the refusal")
				}
				return nil
			}
		}
		return nil
	})
	if abi.CodeOf(first) != abi.CodeSchemaMismatch || !strings.Contains(first.Error(), "because") {
		t.Errorf("the error is %v, want abi.CodeOf(first) = %v and because in first.Error()", first, abi.CodeSchemaMismatch)
	}
	if res.Done.Status != abi.DoneFailed || res.Done.Error.Code != string(abi.CodeSchemaMismatch) {
		t.Errorf("DONE %+v, want Done.Status = %v and Done.Error.Code = %v", res.Done, abi.DoneFailed, string(abi.CodeSchemaMismatch))
	}
	if res.Done.RecordsEmitted != 2 || len(res.All) != 2 || len(res.States) != 1 {
		t.Errorf("%d records, %d states, DONE %+v, want Done.RecordsEmitted = 2, len(res.All) = 2 and len(res.States) = 1", len(res.All), len(res.States), res.Done)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	o := sdktest.Options{State: map[string]string{"notes": `{"at":[1,{"x":"y"}]}`}, Streams: []string{"notes", "log"}}
	res := run(t, o, func(h *sdk.Host) error {
		if got := h.Cursor("notes").Get("at").At(1).Get("x").Str(); got != "y" {
			t.Errorf("the cursor reads %q, want y", got)
		}
		if h.Cursor("log").Exists() {
			t.Error("the stream without a cursor has one")
		}
		for _, cursor := range []string{"[]", "1", `"x"`, " {}"} {
			if h.State("notes", []byte(cursor)) == nil {
				t.Errorf("the cursor %s was accepted, want an error", cursor)
			}
		}
		if h.Slice("notes", "", []byte("{}")) == nil {
			t.Error("a slice without an id was accepted, want an error")
		}
		if err := h.State("notes", make([]byte, abi.MaxStateBytes)); err == nil {
			t.Error("a cursor too large was accepted, want an error")
		}
		large := append(append([]byte(`{"x":"`), make([]byte, abi.MaxStateBytes)...), `"}`...)
		if err := h.State("notes", large); abi.CodeOf(err) != abi.CodeCallTooLarge {
			t.Errorf("a cursor too large: %v, want abi.CodeOf(err) = %v", err, abi.CodeCallTooLarge)
		}
		if err := h.State("top", []byte("{}")); err != nil { // out of scope
			t.Error(err)
		}
		if err := h.Slice("notes", "file a", []byte("{\n}")); err != nil {
			return err
		}
		if err := h.State("log", []byte(`{"n":1}`)); err != nil {
			return err
		}
		return h.State("notes", nil)
	})
	var got []string
	for _, c := range res.Calls {
		if c.Name == "state" {
			got = append(got, c.Payload)
		}
	}
	want := []string{
		`{"type":"STATE","stream":"notes","cursor":{ },"slice":{"id":"file a","complete":true}}`,
		`{"type":"STATE","stream":"log","cursor":{"n":1}}`, `{"type":"STATE","stream":"notes","cursor":null}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %v", got, want)
	}
	if state := res.Committed(); len(state) != 1 || state["log"] != `{"n":1}` {
		t.Errorf("committed %v, want len(state) = 1 and state[\"log\"] = %s", state, `{"n":1}`)
	}
}

func TestProgressAndSkip(t *testing.T) {
	t.Parallel()
	now := sdktest.Epoch
	o := sdktest.Options{Streams: []string{"notes"}, Now: func() time.Time { return now }}
	res := run(t, o, func(h *sdk.Host) error {
		for range 100 {
			if err := h.Progress("m", 1, -1, "bytes"); err != nil {
				return err
			}
			now = now.Add(10 * time.Millisecond)
		}
		h.Log(sdk.Warn, strings.Repeat("é", abi.MaxLogBytes))
		if err := h.Skip(abi.SkipResult{Stream: "top", Reason: "out of scope"}); err != nil {
			return err
		}
		return h.Skip(abi.SkipResult{
			Stream: "notes", Reason: "r", Message: strings.Repeat("é", 5000), RecoveryHint: abi.Raw(`"unknown"`),
			ResourceIDs: []string{"a"}, TimeRange: &abi.TimeRange{Since: "2025-01-01T00:00:00Z"}, Diagnostics: abi.Raw(`{"n":1}`),
		})
	})
	if len(res.Progress) != 4 || *res.Progress[0].Count != 1 || res.Progress[0].Total != nil {
		t.Errorf("%d progress messages in a second, the first %+v, want len(res.Progress) = 4, *res.Progress[0].Count = 1 and Progress[0].Total = nil", len(res.Progress), res.Progress[0])
	}
	if len(res.Skips) != 1 || len(res.Skips[0].Message) > 2000 || res.Skips[0].TimeRange.Since == "" {
		t.Errorf("skips %+v, want len(res.Skips) = 1, len(res.Skips[0].Message) at most 2000 and Skips[0].TimeRange.Since not \"\"", res.Skips)
	}
	if len(res.Logs[0]) != abi.MaxLogBytes {
		t.Errorf("a log line of %d bytes, want %d", len(res.Logs[0]), abi.MaxLogBytes)
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	o := sdktest.Options{
		Mode: abi.ModeBackfill, Streams: []string{"top", "notes"}, Options: map[string]string{"set": "", "x": "y"},
		Roots:      map[string]fs.FS{"b": fstest.MapFS{"f": {Data: []byte("x")}}, "a": fstest.MapFS{}},
		DetailGaps: []string{`{"gap_id":"g1"}`}, RecoveryOnly: true,
	}
	run(t, o, func(h *sdk.Host) error {
		if h.Mode() != abi.ModeBackfill || h.RunID() != "run-test" || !h.RecoveryOnly() || h.Interactive() {
			t.Error("START was misread")
		}
		if !slices.Equal(h.Streams(), []string{"notes", "top"}) || !h.Wants("top") || h.Wants("log") || h.Wants("nope") {
			t.Error("scope was misread", h.Streams())
		}
		if !h.HasOption("set") || h.HasOption("unset") || h.Option("x") != "y" || h.DetailGaps().At(0).Get("gap_id").Str() != "g1" {
			t.Error("options or gaps were misread")
		}
		if len(h.Roots()) != 2 || h.Roots()[0] != (abi.Root{Name: "a", Path: "/a"}) {
			t.Errorf("roots %v, want len(h.Roots()) = 2 and Roots()[0] = %v", h.Roots(), abi.Root{Name: "a", Path: "/a"})
		}
		root, ok := h.Root("b")
		if !ok {
			t.Fatal("no root b")
		}
		if text, err := fs.ReadFile(root, "f"); err != nil || string(text) != "x" {
			t.Error(string(text), err)
		}
		if _, ok := h.Root("c"); ok {
			t.Error("root c was found, want none")
		}
		return nil
	})
}
