package sdk_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func gapOf(key ...string) sdk.Gap {
	return sdk.Gap{Key: key, Reason: abi.ReasonRateLimited, Locator: []byte(`{"id":"x"}`)}
}

func detail(h *sdk.Host, id string) error {
	r := h.Record("details")
	r.String("id", id)
	return r.Emit()
}

// RT-12.1 and RT-12.3: one DETAIL_COVERAGE behind the last record and gap of the
// lane, its sets in the order of Require.
func TestLane(t *testing.T) {
	t.Parallel()
	status := 429
	res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
		l := h.Lane("details", "notes")
		if h.Lane("details", "notes") != l {
			t.Error("the lane of a pair is not always the same")
		}
		for _, k := range []string{"c", "a", "b", "a", "open", "skip"} {
			if err := l.Require(k); err != nil {
				return err
			}
		}
		g := gapOf("b")
		g.ListCursor = []byte(`"p2"`)
		g.Err = &abi.GapError{Class: "http", HTTPStatus: &status, NetworkPressure: abi.Raw(`{"method":"GET"}`)}
		if err := l.Gap(g); err != nil {
			return err
		}
		for _, k := range []string{"a", "c"} {
			if err := detail(h, k); err != nil {
				return err
			}
			if err := l.Hydrated(k); err != nil {
				return err
			}
		}
		if err := l.Skipped("skip"); err != nil {
			return err
		}
		if err := l.Close(); err != nil {
			return err
		}
		for what, err := range map[string]error{
			"close": l.Close(), "require": l.Require("z"), "hydrated": l.Hydrated("a"), "gap": l.Gap(gapOf("a")),
			"record": detail(h, "late"), "raw": h.EmitRaw("details", "late", []byte(`{"id":"late"}`)), "delete": h.Delete("details", "a"),
		} {
			if abi.CodeOf(err) != abi.CodeCoverageInvalid {
				t.Errorf("%s behind the close: %v, want abi.CodeOf(err) = %v", what, err, abi.CodeCoverageInvalid)
			}
		}
		return h.State("notes", []byte("{}"))
	})
	var names []string
	for _, c := range res.Calls {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"submit", "gap", "emit", "coverage", "state", "done"}) {
		t.Errorf("the order is %v, want %q", names, []string{"submit", "gap", "emit", "coverage", "state", "done"})
	}
	if got, want := res.Calls[3].Payload, `{"type":"DETAIL_COVERAGE","stream":"details","state_stream":"notes",`+
		`"required_keys":["c","a","b","open","skip"],"hydrated_keys":["c","a"],"gap_keys":["b"],"optional_skip_keys":["skip"],"reference_only":true}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := res.Calls[1].Payload, `{"type":"DETAIL_GAP","stream":"details","parent_stream":"notes","record_key":"b",`+
		`"reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{"id":"x"},"list_cursor":"p2",`+
		`"last_error":{"class":"http","http_status":429,"network_pressure":{"method":"GET"}}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// RT-12.2: without gaps hydrated equals required and gap_keys is absent. A lane
// that the connector leaves open is closed for it.
func TestLaneWithoutGaps(t *testing.T) {
	t.Parallel()
	res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
		l := h.Lane("top", "notes")
		for _, span := range []string{"short", "long"} {
			if err := l.Require("7", span); err != nil {
				return err
			}
			if err := l.Hydrated("7", span); err != nil {
				return err
			}
		}
		return nil
	})
	c := res.Coverage[0]
	if len(res.Coverage) != 1 || c.GapKeys != nil || string(c.RequiredKeys[1]) != `["7","long"]` ||
		!slices.EqualFunc(c.RequiredKeys, c.HydratedKeys, func(a, b abi.Raw) bool { return string(a) == string(b) }) {
		t.Errorf("%+v, want one coverage whose required keys are all hydrated", res.Coverage)
	}
}

func TestLaneMisuse(t *testing.T) {
	t.Parallel()
	run(t, sdktest.Options{}, func(h *sdk.Host) error {
		l := h.Lane("details", "notes")
		if err := l.Require("a"); err != nil {
			return err
		}
		noLocator, badReason := gapOf("a"), gapOf("a")
		noLocator.Locator = nil
		badReason.Reason = abi.ReasonRunCapTime
		for what, err := range map[string]error{
			"never required": l.Hydrated("z"), "gap never required": l.Gap(gapOf("z")), "two parts": l.Require("a", "b"),
			"no part": l.Require(), "empty": l.Require(""), "no locator": l.Gap(noLocator), "reason": l.Gap(badReason),
		} {
			if err == nil {
				t.Errorf("%s: accepted, want an error", what)
			}
		}
		if err := l.Hydrated("a"); err != nil {
			return err
		}
		if l.Hydrated("a") == nil || l.Gap(gapOf("a")) == nil || l.Skipped("a") == nil {
			t.Error("a second outcome was accepted, want an error")
		}
		return nil
	})
}

// Keys outside the scope are ignored, as their records are.
func TestLaneScope(t *testing.T) {
	t.Parallel()
	use := func(h *sdk.Host) error {
		l := h.Lane("details", "notes")
		for _, k := range []string{"in", "out"} {
			if err := l.Require(k); err != nil {
				return err
			}
			if err := l.Gap(gapOf(k)); err != nil {
				return err
			}
		}
		return l.Close()
	}
	res := run(t, sdktest.Options{Scope: []abi.StreamScope{{Name: "notes"}, {Name: "details", Resources: []string{"in"}}}}, use)
	if len(res.Gaps) != 1 || len(res.Coverage) != 1 || len(res.Coverage[0].RequiredKeys) != 1 {
		t.Errorf("%+v %+v, want len(res.Gaps) = 1, len(res.Coverage) = 1 and len(res.Coverage[0].RequiredKeys) = 1", res.Gaps, res.Coverage)
	}
	res = run(t, sdktest.Options{Streams: []string{"notes"}}, use)
	if len(res.Gaps)+len(res.Coverage) != 0 {
		t.Errorf("%+v %+v, want len(res.Gaps)+len(res.Coverage) = 0", res.Gaps, res.Coverage)
	}
}

// For any sequence of calls on a lane the report is honest: sdktest checks the sets,
// and the model here checks that they are the ones of the calls.
func TestLaneProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		model := map[string]string{}
		var order []string
		res := run(t, sdktest.Options{}, func(h *sdk.Host) error {
			l := h.Lane("details", "notes")
			for i := range rapid.IntRange(0, 40).Draw(rt, "steps") {
				key := fmt.Sprint(rapid.IntRange(0, 6).Draw(rt, "key"))
				what := rapid.SampledFrom([]string{"require", "hydrated", "gap", "skip", "record"}).Draw(rt, "what")
				old, known := model[key]
				var err error
				switch what {
				case "require":
					if err = l.Require(key); err != nil {
						return err
					}
					if !known {
						model[key] = "open"
						order = append(order, key)
					}
					continue
				case "record":
					if err = detail(h, fmt.Sprint(key, i)); err != nil {
						return err
					}
					continue
				case "hydrated":
					err = l.Hydrated(key)
				case "gap":
					err = l.Gap(gapOf(key))
				case "skip":
					err = l.Skipped(key)
				}
				if legal := known && old == "open"; legal != (err == nil) {
					rt.Fatalf("%s of %s (%s): %v, want legal = %v", what, key, old, err, err == nil)
				}
				if err == nil {
					model[key] = what
				}
			}
			return nil
		})
		c := res.Coverage[0]
		for what, list := range map[string][]abi.Raw{
			"": c.RequiredKeys, "hydrated": c.HydratedKeys, "gap": c.GapKeys, "skip": c.OptionalSkipKeys,
		} {
			var want, got []string
			for _, k := range order {
				if what == "" || model[k] == what {
					want = append(want, `"`+k+`"`)
				}
			}
			for _, k := range list {
				got = append(got, string(k))
			}
			if !slices.Equal(got, want) {
				rt.Fatalf("%q: got %v, want %v", what, got, want)
			}
		}
		if len(res.Problems) > 0 {
			rt.Fatalf("%v, want len(res.Problems) = 0", res.Problems)
		}
	})
}
