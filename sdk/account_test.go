package sdk_test

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// A connector that cannot bury everything of another account refuses it in a full refresh,
// too. A cursor that names the account by its id counts.
func TestOnlyAccount(t *testing.T) {
	t.Parallel()
	for id, refused := range map[string]bool{"ada": false, "bob": true} {
		for _, mode := range []string{abi.ModeIncremental, abi.ModeFullRefresh} {
			res := run(t, sdktest.Options{State: map[string]string{"notes": `{"account":"ada"}`}, Mode: mode}, func(h *sdk.Host) error {
				_, err := h.OnlyAccount(id)
				return err
			})
			if e := res.Done.Error; (e != nil) != refused || refused && e.Code != "test_account_changed" {
				t.Errorf("%s, %s: %+v, want refused %v", id, mode, e, refused)
			}
		}
	}
}

// owning is a connector that asks whose credentials it has, and names the owner
// in its cursors.
func owning(t *testing.T, changed *bool, ids ...string) func(sdktest.Options) *sdktest.Result {
	t.Helper()
	return func(o sdktest.Options) *sdktest.Result {
		return run(t, o, func(h *sdk.Host) error {
			a, err := h.Account(ids...)
			if err != nil {
				return err
			}
			*changed = a.Changed
			for _, stream := range h.Streams() {
				if err := h.State(stream, append(a.AppendTo([]byte(`{"n":1`)), '}')); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	var changed bool
	state := owning(t, &changed, "ada")(sdktest.Options{}).Committed()
	if changed || len(state) != 5 || !strings.Contains(state["notes"], `"account":`) || strings.Contains(state["notes"], "ada") {
		t.Fatalf("%v, want not changed, len(state) = 5, %s in state[\"notes\"] and no ada in state[\"notes\"]", state, `"account":`)
	}
	nobody := map[string]string{"notes": `{"n":1}`}
	one := map[string]string{"notes": `{"n":1}`, "top": state["top"]}
	for name, c := range map[string]struct {
		ids     []string
		o       sdktest.Options
		refused bool
		changed bool
	}{
		"the same":                {ids: []string{"ada"}, o: sdktest.Options{State: state}},
		"the same by other name":  {ids: []string{"lovelace", "", "ada"}, o: sdktest.Options{State: state}},
		"another":                 {ids: []string{"bob"}, o: sdktest.Options{State: state}, refused: true},
		"another in one stream":   {ids: []string{"bob"}, o: sdktest.Options{State: one}, refused: true},
		"that one out of scope":   {ids: []string{"bob"}, o: sdktest.Options{State: map[string]string{"notes": `{"n":1}`}, Streams: []string{"notes"}}},
		"anybody's":               {ids: []string{"bob"}, o: sdktest.Options{State: nobody}},
		"a full refresh":          {ids: []string{"ada"}, o: sdktest.Options{State: state, Mode: abi.ModeFullRefresh}},
		"a full refresh, another": {ids: []string{"bob"}, o: sdktest.Options{State: one, Mode: abi.ModeFullRefresh}, changed: true},
		"a refresh of anybody's":  {ids: []string{"bob"}, o: sdktest.Options{State: nobody, Mode: abi.ModeFullRefresh}},
	} {
		changed = false
		res := owning(t, &changed, c.ids...)(c.o)
		if !c.refused {
			if res.Done.Status != abi.DoneSucceeded || changed != c.changed {
				t.Errorf("%s: %+v, changed %v, want Done.Status = %v and changed = %v", name, res.Done.Error, changed, abi.DoneSucceeded, c.changed)
			}
			continue
		}
		if e := res.Done.Error; e == nil || e.Code != "test_account_changed" || string(e.RecoveryHint) != `"manual_action_required"` || e.Retryable || len(res.States) != 0 {
			t.Errorf("%s: %+v, want e not nil, e.Code = test_account_changed, e.RecoveryHint = %s, not e.Retryable and len(res.States) = 0", name, e, `"manual_action_required"`)
		}
	}
}
