package run

import (
	"errors"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// ending is everything that says how a run ended.
type ending struct {
	done       *abi.Done
	exit       plugin.Exit
	violation  error
	storeErr   error
	cause      error // why the host ended the run early, if it did
	unresolved int   // gaps attempted and left without an outcome
	// planned is the owner's own bound at which the run stopped asking; "": none was met.
	planned abi.Reason
	browser error // what the run's browser failed at; nil: it did not, or there was none
}

// outcome is how a run ended, in the words of the runtime contract, section 9.
type outcome struct {
	status     string
	reason     abi.Reason
	failure    *Failure
	certified  bool // the failure names the streams that failed, see Ledger.DecideCheckpoints
	unfinished bool // a planned stop: nothing failed, and the connector did not look at everything
}

// decide turns an ending into the one outcome. The order matters: a failure of the
// store wins, because nothing is certain without the store; then a broken protocol,
// because it makes the guest's word worthless; then a DONE that succeeded, because the
// data is whole; then the owner and the clock, because the guest's other last words
// only answer them.
func (e ending) decide() outcome {
	switch {
	case e.storeErr != nil:
		return failed(storeReason(e.storeErr), e.storeErr, true)
	case e.violation != nil && !(e.timedOut() && isCode(e.violation, abi.CodeInteractionPending)):
		return failed(abi.ReasonProtocolViolation, e.violation, false)
	case e.violates():
		return failed(abi.ReasonProtocolViolation, e.exit.Err, false)
	case e.done != nil && e.clean() && e.done.Status == abi.DoneSucceeded:
		if e.unresolved > 0 {
			return failed(abi.ReasonProtocolViolation, abi.NewError(abi.CodeGapInvalid,
				"a gap was attempted and left without an outcome", "follow DETAIL_GAP_ATTEMPTED with DETAIL_GAP_RECOVERED or a DETAIL_GAP"), false)
		}
		return outcome{status: StatusSucceeded}
	case errors.Is(e.cause, &abi.Error{Code: abi.CodeInterrupted}):
		reason := abi.ReasonOwnerCancelled
		if !e.exit.Returned && e.done == nil {
			reason = abi.ReasonOwnerCancelForced
		}
		return outcome{status: StatusCancelled, reason: reason, failure: failure(e.cause, true)}
	case isCode(e.cause, abi.CodeBrowserStalled):
		o := failed(abi.ReasonConnectorReportedFailed, e.cause, false)
		if s, ok := errors.AsType[*stalled](e.cause); ok {
			o.failure = s.failure()
		}
		return o
	case errors.Is(e.cause, &abi.Error{Code: abi.CodeInteractionInvalid}):
		return failed(abi.ReasonInteractionInvalid, e.cause, true)
	case isCode(e.cause, abi.CodeBudgetReached):
		return failed(abi.ReasonPolicyBudget, e.cause, true)
	case errors.Is(e.cause, &abi.Error{Code: abi.CodeFenced}):
		return failed(abi.ReasonFenced, e.cause, true)
	case e.timedOut():
		return failed(abi.ReasonRunTimedOut, e.late(), false)
	case e.done != nil && e.done.Status == abi.DoneCancelled:
		return outcome{status: StatusCancelled, reason: abi.ReasonConnectorReportedCancelled, failure: e.reported("connector.cancelled")}
	case e.stoppedAsPlanned():
		return outcome{status: StatusSucceeded, reason: e.planned, unfinished: true}
	case e.done != nil && e.done.Status == abi.DoneFailed:
		o := outcome{status: StatusFailed, reason: abi.ReasonConnectorReportedFailed, failure: e.reported("connector.failed")}
		o.certified = e.done.Error != nil && e.done.Error.Code == string(abi.ReasonStreamCollectionFailed)
		if e.browser != nil && !o.certified {
			o.failure = browserFailure(e.browser)
		}
		return o
	case e.done != nil:
		return failed(abi.ReasonProtocolViolation, e.exitMismatch(), false)
	case isCode(e.exit.Err, abi.CodeLimitMemory), isCode(e.exit.Err, abi.CodeLimitLog), isCode(e.exit.Err, abi.CodeLimitOutput):
		return failed(abi.ReasonLimitExceeded, e.exit.Err, false)
	case e.exit.Err != nil:
		return failed(abi.ReasonExitWithoutDone, e.exit.Err, true)
	default:
		return failed(abi.ReasonExitWithoutDone, abi.NewError(abi.CodeGuestExit,
			"the connector returned without DONE", "ask its author: every run ends with DONE"), true)
	}
}

// stoppedAsPlanned reports whether the connector gave up only because the run stopped
// asking at the owner's bound: a handoff to the next run and no failure (PB-D9).
func (e ending) stoppedAsPlanned() bool {
	if e.planned == "" || e.done == nil || e.done.Status != abi.DoneFailed || !e.exit.Returned || e.exit.Err != nil || e.done.Error == nil {
		return false
	}
	hint := hintAction(e.done.Error.RecoveryHint)
	return e.done.Error.Retryable && (hint == "" || hint == "retry_by_runtime")
}

// clean reports whether the guest returned 0 by itself.
func (e ending) clean() bool { return e.exit.Returned && e.exit.Code == 0 && e.exit.Err == nil }

// late returns the time limit that ended the run, the run's own or the
// engine's, or nil. A guest that was asked to wind up, and did, was late too.
func (e ending) late() error {
	for _, err := range []error{e.cause, e.exit.Err, e.exit.Stopped} {
		if isCode(err, abi.CodeLimitTime) {
			return err
		}
	}
	return nil
}

func (e ending) timedOut() bool { return e.late() != nil }

// violates reports whether the engine refused the guest's use of its memory or its
// calls.
func (e ending) violates() bool {
	var err *abi.Error
	return errors.As(e.exit.Err, &err) && strings.HasPrefix(string(err.Code), "boundary.") && err.Code != abi.CodeInteractionInvalid
}

func (e ending) exitMismatch() error {
	err := abi.NewError(abi.CodeGuestExit, "the connector said DONE succeeded, but did not return 0",
		"return from pdpp_collect right after DONE")
	if e.exit.Err != nil {
		return err.Wrap(e.exit.Err)
	}
	return err
}

// reported returns the connector's own account of its failure.
func (e ending) reported(code string) *Failure {
	f := &Failure{Code: code, Message: "the connector ended the run without saying why"}
	if d := e.done.Error; d != nil {
		f.Message, f.Retryable, f.RecoveryHint = clip(d.Message, maxErrorMessage), d.Retryable, hintAction(d.RecoveryHint)
		if d.Code != "" {
			f.Code = clip(d.Code, maxGapText)
		}
	}
	return f
}

func failed(reason abi.Reason, err error, retryable bool) outcome {
	return outcome{status: StatusFailed, reason: reason, failure: failure(err, retryable)}
}

func failure(err error, retryable bool) *Failure {
	f := &Failure{Code: string(abi.CodeOf(err)), Message: "an internal error", Retryable: retryable}
	if e, ok := errors.AsType[*abi.Error](err); ok {
		f.Message, f.Hint = e.Message, e.Hint
		if e.Detail != "" {
			f.Message += ": " + e.Detail
		}
	}
	f.Message = clip(f.Message, maxErrorMessage)
	return f
}

func storeReason(err error) abi.Reason {
	if isCode(err, abi.CodeFenced) {
		return abi.ReasonFenced
	}
	return abi.ReasonRuntimeError
}

func isCode(err error, code abi.Code) bool { return errors.Is(err, &abi.Error{Code: code}) }
