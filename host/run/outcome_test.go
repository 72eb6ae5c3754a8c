package run

import (
	"errors"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Every row of the runtime contract, section 9, that this host can reach.
func TestDecide(t *testing.T) {
	t.Parallel()
	ok := plugin.Exit{Returned: true}
	e := func(c abi.Code) error { return abi.NewError(c, "m", "h") }
	done := func(status string, err *abi.DoneError) *abi.Done { return &abi.Done{Status: status, Error: err} }
	for _, tc := range []struct {
		name   string
		end    ending
		status string
		reason abi.Reason
		code   string
	}{
		{"succeeded", ending{done: done("succeeded", nil), exit: ok}, StatusSucceeded, "", ""},
		{"succeeded as the owner cancelled", ending{done: done("succeeded", nil), exit: ok, cause: ErrInterrupted}, StatusSucceeded, "", ""},
		{"succeeded but exit 1", ending{done: done("succeeded", nil), exit: plugin.Exit{Returned: true, Code: 1}}, StatusFailed, abi.ReasonProtocolViolation, "guest.exit"},
		{"succeeded but trapped", ending{done: done("succeeded", nil), exit: plugin.Exit{Err: e(abi.CodeGuestTrap)}}, StatusFailed, abi.ReasonProtocolViolation, "guest.exit"},
		{"succeeded and did not return", ending{done: done("succeeded", nil), exit: plugin.Exit{Err: errReturn}, cause: errReturn}, StatusFailed, abi.ReasonProtocolViolation, "guest.exit"},
		{"a gap without outcome", ending{done: done("succeeded", nil), exit: ok, unresolved: 1}, StatusFailed, abi.ReasonProtocolViolation, "boundary.gap_invalid"},
		{"failed", ending{done: done("failed", &abi.DoneError{Code: "x_auth_failed", Message: "no"}), exit: ok}, StatusFailed, abi.ReasonConnectorReportedFailed, "x_auth_failed"},
		{"failed at the owner's bound", ending{done: done("failed", &abi.DoneError{Code: "x", Message: "m", Retryable: true}), exit: ok, planned: abi.ReasonRequestCapReached}, StatusSucceeded, abi.ReasonRequestCapReached, ""},
		{"failed for good beside the bound", ending{done: done("failed", &abi.DoneError{Code: "x", Message: "m"}), exit: ok, planned: abi.ReasonRequestCapReached}, StatusFailed, abi.ReasonConnectorReportedFailed, "x"},
		{"needs its owner beside the bound", ending{done: done("failed", &abi.DoneError{Code: "x", Message: "m", Retryable: true, RecoveryHint: abi.Raw(`"refresh_credentials"`)}), exit: ok, planned: abi.ReasonRequestCapReached}, StatusFailed, abi.ReasonConnectorReportedFailed, "x"},
		{"trapped at the bound", ending{done: done("failed", &abi.DoneError{Code: "x", Message: "m", Retryable: true}), exit: plugin.Exit{Err: e(abi.CodeGuestTrap)}, planned: abi.ReasonRequestCapReached}, StatusFailed, abi.ReasonConnectorReportedFailed, "x"},
		{"cancelled by the connector", ending{done: done("cancelled", nil), exit: ok}, StatusCancelled, abi.ReasonConnectorReportedCancelled, "connector.cancelled"},
		{"owner cancelled, guest wound up", ending{done: done("cancelled", nil), exit: ok, cause: ErrInterrupted}, StatusCancelled, abi.ReasonOwnerCancelled, "run.interrupted"},
		{"owner cancelled, guest failed", ending{done: done("failed", nil), exit: ok, cause: ErrInterrupted}, StatusCancelled, abi.ReasonOwnerCancelled, "run.interrupted"},
		{"owner cancelled, guest killed", ending{exit: plugin.Exit{Err: ErrInterrupted}, cause: ErrInterrupted}, StatusCancelled, abi.ReasonOwnerCancelForced, "run.interrupted"},
		{"violation", ending{exit: plugin.Exit{Err: e(abi.CodeSyntax)}, violation: e(abi.CodeSyntax)}, StatusFailed, abi.ReasonProtocolViolation, "boundary.syntax"},
		{"violation after DONE", ending{done: done("succeeded", nil), exit: ok, violation: e(abi.CodeAfterDone)}, StatusFailed, abi.ReasonProtocolViolation, "boundary.after_done"},
		{"violation while cancelled", ending{violation: e(abi.CodeSyntax), cause: ErrInterrupted}, StatusFailed, abi.ReasonProtocolViolation, "boundary.syntax"},
		{"bad pointer", ending{exit: plugin.Exit{Err: e(abi.CodeCallOutOfBounds)}}, StatusFailed, abi.ReasonProtocolViolation, "boundary.out_of_bounds"},
		{"time", ending{exit: plugin.Exit{Err: e(abi.CodeLimitTime)}, cause: e(abi.CodeLimitTime)}, StatusFailed, abi.ReasonRunTimedOut, "limit.time"},
		{"the engine's time", ending{exit: plugin.Exit{Err: e(abi.CodeLimitTime)}, cause: errors.New("x")}, StatusFailed, abi.ReasonRunTimedOut, "limit.time"},
		{"late, but the guest wound up", ending{done: done("cancelled", nil), exit: plugin.Exit{Returned: true, Stopped: e(abi.CodeLimitTime)}}, StatusFailed, abi.ReasonRunTimedOut, "limit.time"},
		{"late with a question open", ending{violation: e(abi.CodeInteractionPending), exit: plugin.Exit{Stopped: e(abi.CodeLimitTime)}}, StatusFailed, abi.ReasonRunTimedOut, "limit.time"},
		{"memory", ending{exit: plugin.Exit{Err: e(abi.CodeLimitMemory)}}, StatusFailed, abi.ReasonLimitExceeded, "limit.memory"},
		{"log", ending{exit: plugin.Exit{Err: e(abi.CodeLimitLog)}}, StatusFailed, abi.ReasonLimitExceeded, "limit.log"},
		{"output", ending{exit: plugin.Exit{Err: e(abi.CodeLimitOutput)}}, StatusFailed, abi.ReasonLimitExceeded, "limit.output"},
		{"trap", ending{exit: plugin.Exit{Err: e(abi.CodeGuestTrap)}}, StatusFailed, abi.ReasonExitWithoutDone, "guest.trap"},
		{"worker lost", ending{exit: plugin.Exit{Err: e(abi.CodeWorkerLost)}}, StatusFailed, abi.ReasonExitWithoutDone, "worker.lost"},
		{"no DONE", ending{exit: ok}, StatusFailed, abi.ReasonExitWithoutDone, "guest.exit"},
		{"signing in stalled", ending{exit: plugin.Exit{Err: e(abi.CodeBrowserStalled)}, cause: &stalled{"my-shop", e(abi.CodeBrowserStalled), true}}, StatusFailed, abi.ReasonConnectorReportedFailed, "my_shop_session_establish_timeout"},
		{"signing in stalled, and the guest said so", ending{done: done("failed", nil), exit: ok, cause: &stalled{"shop", e(abi.CodeBrowserStalled), false}}, StatusFailed, abi.ReasonConnectorReportedFailed, "shop_session_establish_timeout"},
		{"bad answer", ending{exit: ok, cause: e(abi.CodeInteractionInvalid)}, StatusFailed, abi.ReasonInteractionInvalid, "boundary.interaction_invalid"},
		{"store full", ending{done: done("succeeded", nil), exit: ok, storeErr: e(abi.CodeStoreFull)}, StatusFailed, abi.ReasonRuntimeError, "storage.full"},
		{"fenced", ending{done: done("succeeded", nil), exit: ok, storeErr: e(abi.CodeFenced)}, StatusFailed, abi.ReasonFenced, "storage.fenced"},
		{"unknown", ending{exit: plugin.Exit{Err: errors.New("x")}}, StatusFailed, abi.ReasonExitWithoutDone, "internal.error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := tc.end.decide()
			if got.status != tc.status || got.reason != tc.reason {
				t.Fatalf("got %s %s, want %s %s", got.status, got.reason, tc.status, tc.reason)
			}
			code := ""
			if got.failure != nil {
				code = got.failure.Code
			}
			if code != tc.code {
				t.Fatalf("code %q, want %q", code, tc.code)
			}
		})
	}
}

func TestCertifiedNeedsTheCode(t *testing.T) {
	t.Parallel()
	end := ending{done: &abi.Done{Status: "failed", Error: &abi.DoneError{Code: "stream_collection_failed", Message: "m"}}, exit: plugin.Exit{Returned: true}}
	if !end.decide().certified {
		t.Fatal("got a failure that is not certified, want it certified by its code")
	}
	end.cause = ErrInterrupted
	if end.decide().certified {
		t.Fatal("got a certified failure, want the owner's cancellation to come first")
	}
}
