package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// collectClauses are those that the first run alone decides, in the order in
// which a guest meets them.
var collectClauses = []string{
	"collect.limits", "collect.calls", "collect.order", "collect.messages", "collect.scope", "collect.keys",
	"collect.deletes", "collect.lanes", "collect.enumerations", "collect.count", "collect.done", "collect.returns",
}

// broken names the clause that an error code of a run breaks.
var broken = map[abi.Code]string{
	abi.CodeLimitTime: "collect.limits", abi.CodeLimitMemory: "collect.limits", abi.CodeLimitLog: "collect.limits",
	abi.CodeLimitOutput: "collect.limits", abi.CodeTooManyMessages: "collect.limits",
	abi.CodeCallTooLarge: "collect.calls", abi.CodeCallOutOfBounds: "collect.calls",
	abi.CodeCallOutOfPhase: "collect.order", abi.CodeAfterDone: "collect.order", abi.CodeInteractionPending: "collect.order",
	abi.CodeBindingNotGranted:  "collect.order",
	abi.CodeStreamOutOfScope:   "collect.scope",
	abi.CodeKeyOutsideResource: "collect.scope", abi.CodeOutsideTimeRange: "collect.scope", abi.CodeFieldOutOfScope: "collect.scope",
	abi.CodeKeyInvalid: "collect.keys", abi.CodeKeyMismatch: "collect.keys",
	abi.CodeDeleteOnAppendOnly: "collect.deletes",
	abi.CodeCoverageInvalid:    "collect.lanes", abi.CodeGapInvalid: "collect.lanes",
	abi.CodeEnumerationInvalid: "collect.enumerations",
	abi.CodeCountMismatch:      "collect.count",
	abi.CodeSchemaTooCostly:    "collect.records",
}

// CouldNotCollect begins the reason of a clause that was skipped because the
// connector's first run failed as it may.
const CouldNotCollect = "the connector could not collect here: "

// first makes the first run and judges it. It reports whether there is anything
// to judge the other clauses on.
func (s *suite) first(ctx context.Context, whole *store) (bool, error) {
	res, err := whole.play(ctx, run.Request{})
	if err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		// By now a module can be refused only for its demands on the host.
		s.report.judge("manifest.bindings", fmt.Errorf("the run was refused: %w", err))
		return false, nil
	}
	s.report.pass("manifest.bindings")
	s.report.Gaps = res.KnownGaps
	for name, c := range res.Records {
		if name != device.CoverageStream { // a connector has some over an empty source too
			s.report.delivered += c.Upserted + c.Unchanged + c.Deleted + c.Rejected
		}
	}
	if res.Status != run.StatusSucceeded {
		s.firstFailed(res)
		return false, nil
	}
	s.collected(res)
	s.committed, s.enumerated = res.Checkpoints.Committed, res.Enumerated
	if s.stored, err = whole.keys(ctx); err != nil {
		return false, err
	}
	for name, keys := range s.stored {
		if name != device.CoverageStream {
			s.report.Records += int64(len(keys))
		}
	}
	s.judgeCheckpoints(res)
	s.warnOfEvidence(res)
	s.judgeFiles(res)
	if err := s.judgeItems(ctx, whole, res); err != nil {
		return false, err
	}
	return true, s.warnOfNames(ctx, whole)
}

// collected judges a run that came to the end that it meant to.
func (s *suite) collected(res *run.Result) {
	s.report.pass(collectClauses...)
	s.report.judge("collect.lanes", undelivered(res))
	s.report.judge("collect.records", rejections(res))
	s.report.judge("collect.keys", keyless(res))
}

// firstFailed names the clause that the first run broke.
func (s *suite) firstFailed(res *run.Result) {
	why := succeeded(res)
	switch res.Reason {
	case string(abi.ReasonConnectorReportedFailed), string(abi.ReasonConnectorReportedCancelled):
		// An honest failure keeps the contract: it has an end, and says why.
		s.collected(res)
		for i := range s.report.Clauses {
			if c := &s.report.Clauses[i]; c.Outcome == "" {
				s.report.skip(c.ID, CouldNotCollect+why.Error())
			}
		}
		return
	}
	clause := "collect.done"
	code := abi.Code("")
	if res.Error != nil {
		code = abi.Code(res.Error.Code)
	}
	switch known, ok := broken[code]; {
	case ok:
		clause = known
	case code == abi.CodeGuestExit && res.Reason == string(abi.ReasonProtocolViolation):
		clause = "collect.returns" // it had sent DONE
	case strings.HasPrefix(string(code), "boundary."):
		clause = "collect.messages"
	}
	s.report.judge(clause, why)
}

func (s *suite) judgeCheckpoints(res *run.Result) {
	if s.report.Clause("collect.lanes").Outcome == Fail {
		s.report.skip("checkpoint.committed", NotJudged+"collect.lanes failed")
		return
	}
	var held []string
	for _, w := range res.Checkpoints.Withheld {
		held = append(held, w.Stream+" ("+w.Reason+")")
	}
	var err error
	if len(held) > 0 {
		err = fmt.Errorf("withheld: %s", strings.Join(held, ", "))
	}
	s.report.judge("checkpoint.committed", err)
}

// checkpoints judges whether the cursors of the first run cover its records.
func (s *suite) checkpoints(context.Context, *store) error {
	for i := range s.manifest.Streams {
		st := &s.manifest.Streams[i]
		covered := slices.Contains(s.committed, st.Name) ||
			slices.ContainsFunc(st.Parents(), func(p string) bool { return slices.Contains(s.committed, p) })
		if st.Incremental && len(s.stored[st.Name]) > 0 && !covered {
			s.bare = append(s.bare, st.Name)
		}
	}
	switch {
	case s.report.Clause("checkpoint.committed").Outcome != Pass:
		s.report.skip("checkpoint.covers", "cursors were withheld")
	case len(s.bare) > 0:
		s.report.judge("checkpoint.covers", fmt.Errorf("no cursor covers %s", strings.Join(s.bare, ", ")))
	default:
		s.report.pass("checkpoint.covers")
	}
	return nil
}

// undelivered lists the details that a connector called fetched and did not deliver.
func undelivered(res *run.Result) error {
	for _, g := range res.KnownGaps {
		if g.Kind == run.KindNotDelivered {
			return fmt.Errorf("%d details of stream %s: %s", g.Count, g.Stream, g.Message)
		}
	}
	return nil
}

func rejections(res *run.Result) error {
	for _, g := range res.KnownGaps {
		if g.Kind == run.KindRejected {
			return fmt.Errorf("%d records of stream %s: %s", g.Count, g.Stream, g.Message)
		}
	}
	return nil
}

// keyless lists the records that a connector held back because they have no key: the
// SDK does so for its author, in these words. Such a record is lost in every run.
func keyless(res *run.Result) error {
	for _, g := range res.KnownGaps {
		if g.Reason == "record_key_missing" || g.Reason == "record_key_invalid" {
			return fmt.Errorf("stream %s: %s (%s)", g.Stream, g.Message, g.Reason)
		}
	}
	return nil
}

// succeeded describes the end of a run that did not succeed.
func succeeded(res *run.Result) error {
	switch {
	case res.Status == run.StatusSucceeded:
		return nil
	case res.Error == nil:
		return fmt.Errorf("the run %s: %s", res.Status, res.Reason)
	}
	err := abi.NewError(abi.Code(res.Error.Code), fmt.Sprintf("the run %s: %s", res.Status, res.Error.Message), res.Error.Hint)
	if log := strings.TrimSpace(res.Error.Log); log != "" {
		lines := strings.Split(log, "\n")
		return err.WithDetail("it wrote: " + lines[0])
	}
	return err
}
