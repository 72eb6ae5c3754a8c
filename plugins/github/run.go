package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
)

// The streams.
const (
	streamUser         = "user"
	streamUserStats    = "user_stats"
	streamRepositories = "repositories"
	streamStarred      = "starred"
	streamIssues       = "issues"
	streamPulls        = "pull_requests"
	streamGists        = "gists"
)

// reasonPageCap reports that a list has more pages than one run reads.
const reasonPageCap = "github_page_cap_reached"

// run is one run.
type run struct {
	h      *sdk.Host
	c      *client
	me     account
	failed sdk.FailedStreams
}

func newRun(h *sdk.Host) (*run, error) {
	if err := h.RequireCredentials(); err != nil {
		return nil, err
	}
	c, err := newClient(h)
	if err != nil {
		return nil, err
	}
	return &run{h: h, c: c, failed: sdk.FailedStreams{Hint: hint}}, nil
}

// collect collects the streams one by one; a stream that fails does not stop the
// others.
func (r *run) collect() error {
	if err := r.user(); err != nil {
		return err
	}
	pulls := r.newPulls()
	steps := []step{
		{streamPulls, pulls.recover, true},
		{streamRepositories, func() error { return r.inventory(repositories) }, false},
		{streamStarred, func() error { return r.inventory(stars) }, false},
		{streamGists, func() error { return r.inventory(gists) }, false},
		{streamIssues, r.issues, false},
		{streamPulls, pulls.collect, false},
	}
	// The owner's bound may end every run early, so a stream that was never read to its
	// end goes first. Otherwise it would never have its turn.
	slices.SortStableFunc(steps[1:], func(a, b step) int { return r.order(a.stream) - r.order(b.stream) })
	broken := false // pull_requests: a lane that broke while it recovered does not go on
	for _, step := range steps {
		if !r.h.Wants(step.stream) || r.h.RecoveryOnly() && !step.always || step.stream == streamPulls && broken {
			continue
		}
		if r.h.Stopping() {
			return sdk.ErrStopped
		}
		err := step.do()
		if err == nil {
			continue
		}
		broken = broken || step.stream == streamPulls
		if err := r.failed.Note(r.h, err, step.stream); err != nil {
			return err
		}
	}
	if r.h.Wants(streamPulls) && !broken {
		if err := pulls.details.Close(); err != nil {
			return err
		}
	}
	return r.failed.Err()
}

// step is a part of a run.
type step struct {
	stream string
	do     func() error
	always bool // also in a run that only recovers gaps
}

// order returns 1 for a stream that an earlier run read to its end, which comes later,
// and 0 for any other.
func (r *run) order(stream string) int {
	v := r.h.Cursor(stream)
	if v.IsNull() || v.Get("partial").Bool() || v.Get("pending").Len() > 0 {
		return 0
	}
	return 1
}

// hint is for a token without that permission.
func hint(code string) string {
	if code == codeForbidden {
		return "refresh_credentials"
	}
	return ""
}

// reportCapped reports that a list continues behind the last page of this run.
func (r *run) reportCapped(stream, what string) error {
	return r.h.Skip(abi.SkipResult{Stream: stream, Reason: reasonPageCap, Message: what, RecoveryHint: abi.Raw(`"retry_by_runtime"`)})
}
