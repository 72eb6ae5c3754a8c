package abi_test

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-10: each reason of the vocabulary and each recovery action has exactly one remedy, and
// what goes on by itself is mended by time.
func TestRemedies(t *testing.T) {
	t.Parallel()
	known := []abi.Remedy{abi.RemedyTime, abi.RemedyOwner, abi.RemedyConnector, abi.RemedyNever}
	for _, r := range abi.GenericReasons {
		of := abi.RemedyOf(r, "")
		if !slices.Contains(known, of) {
			t.Errorf("%s: got %q, want one of %q", r, of, known)
		}
		connectors := r == abi.ReasonProtocolViolation || r == abi.ReasonExitWithoutDone || r == abi.ReasonSchemaRejected
		if of == abi.RemedyConnector && !connectors {
			t.Errorf("%s is in no row of the table", r)
		}
		if r.GoesOn() && of != abi.RemedyTime {
			t.Errorf("%s goes on by itself and is mended by %s, want time", r, of)
		}
	}
	for action, want := range map[string]abi.Remedy{
		"retry_by_runtime": abi.RemedyTime, "upstream_unblock": abi.RemedyTime, "refresh_credentials": abi.RemedyOwner,
		"manual_action_required": abi.RemedyOwner, "retry_on_connector_upgrade": abi.RemedyConnector, "update_selector": abi.RemedyConnector,
		"not_retriable": abi.RemedyNever, "unknown": abi.RemedyConnector, "": abi.RemedyConnector, "an invention": abi.RemedyConnector,
	} {
		if got := abi.RemedyOf("a_connectors_word", action); got != want {
			t.Errorf("%q: got %s, want %s", action, got, want)
		}
	}
	if got := abi.RemedyOf(abi.ReasonStreamCollectionFailed, "refresh_credentials"); got != abi.RemedyOwner {
		t.Errorf("a stream that failed over its credentials: got %s, want owner", got)
	}
}

// AC-10: four statuses say of one item that no run gets it, and what was refused so is mended by
// nothing. One that may pass, or that is about the account, the request or the pace, does not.
func TestRefusalsOfAnItem(t *testing.T) {
	t.Parallel()
	for status := range 600 {
		want := status == 403 || status == 404 || status == 410 || status == 451
		if got := abi.RefusesItem(status); got != want {
			t.Errorf("%d: got %v, want %v", status, got, want)
		}
	}
	if got := abi.RemedyOf(abi.ReasonGone, ""); got != abi.RemedyNever {
		t.Errorf("got %s of what is gone, want never", got)
	}
}
