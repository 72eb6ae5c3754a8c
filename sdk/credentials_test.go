package sdk_test

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// RT-08.1: with somebody to ask, the environment variables are named in an
// INTERACTION, and the run goes on when it is answered.
func TestMissingCredentialsAsked(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		abi.ResponseSuccess: abi.DoneSucceeded, abi.ResponseCancelled: abi.DoneFailed, abi.ResponseTimeout: abi.DoneFailed,
	} {
		res := run(t, sdktest.Options{
			Credentials: map[string]bool{"user": true, "token": false},
			Answer:      func(abi.Interaction) abi.InteractionResponse { return abi.InteractionResponse{Status: status} },
		}, func(h *sdk.Host) error { return h.RequireCredentials() })
		if len(res.Interactions) != 1 {
			t.Fatalf("%s: %d interactions, want 1", status, len(res.Interactions))
		}
		m := res.Interactions[0]
		if m.Kind != abi.InteractionMissingCredentials || !strings.Contains(m.Message, "TEST_TOKEN or TEST_PAT") ||
			strings.Contains(m.Message, "TEST_USER") || strings.Contains(m.Message, "TEST_NOTE") {
			t.Errorf("%+v, want m.Kind = %v, TEST_TOKEN or TEST_PAT in m.Message, no TEST_USER in m.Message and no TEST_NOTE in m.Message", m, abi.InteractionMissingCredentials)
		}
		if string(m.Schema) != `{"type":"object","properties":{"token":{"type":"string","format":"password","title":"Token"}},"required":["token"]}` {
			t.Errorf("schema %s, want m.Schema = %s", m.Schema, `{"type":"object","properties":{"token":{"type":"string","format":"password","title":"Token"}},"required":["token"]}`)
		}
		if res.Done.Status != want {
			t.Errorf("%s: DONE %+v, want Done.Status = %v", status, res.Done, want)
		}
	}
}

// RT-08.2: with nobody to ask, the run fails and names the missing credentials.
func TestMissingCredentialsNobodyToAsk(t *testing.T) {
	t.Parallel()
	res := run(t, sdktest.Options{}, func(h *sdk.Host) error { return h.RequireCredentials() })
	e := res.Done.Error
	if res.Done.Status != abi.DoneFailed || e.Code != "missing_credentials" || len(res.Interactions) != 0 ||
		!strings.Contains(e.Message, "TEST_USER") || !strings.Contains(e.Message, "TEST_TOKEN") {
		t.Errorf("DONE %+v %+v, want Done.Status = %v, e.Code = missing_credentials, len(res.Interactions) = 0, TEST_USER in e.Message and TEST_TOKEN in e.Message", res.Done, e, abi.DoneFailed)
	}
}

func TestCredentialsHeld(t *testing.T) {
	t.Parallel()
	// By field name, or by the name of any of its variables.
	for _, held := range []map[string]bool{{"user": true, "token": true}, {"TEST_USER": true, "TEST_PAT": true}} {
		res := run(t, sdktest.Options{Credentials: held}, func(h *sdk.Host) error { return h.RequireCredentials() })
		if res.Done.Status != abi.DoneSucceeded {
			t.Errorf("DONE %+v, want Done.Status = %v", res.Done, abi.DoneSucceeded)
		}
	}
}

func TestInteract(t *testing.T) {
	t.Parallel()
	answer := func(m abi.Interaction) abi.InteractionResponse {
		if *m.TimeoutSeconds != 90 || m.RequestID != "ask-1" {
			t.Errorf("%+v, want *m.TimeoutSeconds = 90 and m.RequestID = ask-1", m)
		}
		return abi.InteractionResponse{Status: abi.ResponseSuccess, Data: map[string]string{"code": "123"}}
	}
	res := run(t, sdktest.Options{Answer: answer}, func(h *sdk.Host) error {
		if err := note(h, "before"); err != nil {
			return err
		}
		seconds := 90.0
		got, err := h.Interact(abi.Interaction{Kind: abi.InteractionOTP, Message: "code?", TimeoutSeconds: &seconds})
		if err == nil && (got.Data["code"] != "123" || got.RequestID != "ask-1") {
			t.Errorf("answer %+v, want code 123 for ask-1", got)
		}
		return err
	})
	if res.Calls[1].Name != "emit" || res.Calls[2].Name != "submit" {
		t.Error("the batch was not sent before the question")
	}
	res = run(t, sdktest.Options{}, func(h *sdk.Host) error {
		_, err := h.Interact(abi.Interaction{Kind: abi.InteractionOTP, Message: "code?"})
		return err
	})
	if res.Done.Status != abi.DoneFailed || res.Done.Error.Code != string(abi.CodeBindingNotGranted) {
		t.Errorf("DONE %+v, want Done.Status = %v and Done.Error.Code = %v", res.Done, abi.DoneFailed, string(abi.CodeBindingNotGranted))
	}
}
