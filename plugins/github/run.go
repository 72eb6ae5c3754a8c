package main

import (
	"errors"
	"strings"

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

// reasonPageCap tells that a list had more pages than one run reads.
const reasonPageCap = "github_page_cap_reached"

// run is one run.
type run struct {
	h      *sdk.Host
	c      *client
	me     account
	failed []string // streams, with what stopped each
}

func newRun(h *sdk.Host) (*run, error) {
	if err := h.RequireCredentials(); err != nil {
		return nil, err
	}
	c, err := newClient(h)
	if err != nil {
		return nil, err
	}
	return &run{h: h, c: c}, nil
}

// collect does the streams one by one: what stops one of them leaves the
// others to go on.
func (r *run) collect() error {
	if err := r.user(); err != nil {
		return err
	}
	pulls := r.newPulls()
	steps := []struct {
		stream string
		do     func() error
		always bool // also in a run that only recovers gaps
	}{
		{streamPulls, pulls.recover, true},
		{streamRepositories, func() error { return r.inventory(repositories) }, false},
		{streamStarred, func() error { return r.inventory(stars) }, false},
		{streamGists, func() error { return r.inventory(gists) }, false},
		{streamIssues, r.issues, false},
		{streamPulls, pulls.collect, false},
	}
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
		if err := r.fail(step.stream, err); err != nil {
			return err
		}
	}
	if r.h.Wants(streamPulls) && !broken {
		if err := pulls.details.Close(); err != nil {
			return err
		}
	}
	return r.outcome()
}

// fail notes that a stream failed, and returns err when the run cannot go on.
func (r *run) fail(stream string, err error) error {
	if ends(err) {
		return err
	}
	text, hint := describe(err)
	r.failed = append(r.failed, stream+" ("+text+")")
	return r.h.Skip(abi.SkipResult{
		Stream: stream, Reason: string(abi.ReasonStreamCollectionFailed),
		Message: "the stream was not collected to its end: " + text, RecoveryHint: hint,
	})
}

// ends reports whether err is the end of the run: a stop, a mistake of this
// connector, a token that is not accepted, a host that sends nothing any more.
func ends(err error) bool {
	if e, ok := sdk.AsFetchError(err); ok {
		return e.Final
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if e == sdk.ErrStopped { //nolint:errorlint // this is the walk that errors.Is would do
			return true
		}
		switch f := e.(type) { //nolint:errorlint // likewise, without reflection
		case *abi.Error:
			return true
		case *sdk.Failure:
			return f.Code == codeAuthFailed || f.Code == codeAccount
		}
	}
	return false
}

// describe says what stopped a stream: its code first, and what can be done.
func describe(err error) (text string, hint abi.Raw) {
	if e, ok := sdk.AsFetchError(err); ok {
		return e.Message, abi.Raw(`"retry_by_runtime"`)
	}
	f, ok := sdk.AsFailure(err)
	if !ok {
		return err.Error(), abi.Raw(`"retry_by_runtime"`)
	}
	action := f.Hint
	if action == "" {
		action = "retry_by_runtime"
		if f.Code == codeForbidden { // a token without that permission
			action = "refresh_credentials"
		}
	}
	text = f.Code
	if f.Message != f.Code {
		text += ": " + f.Message
	}
	return text, abi.Raw(`"` + action + `"`)
}

// outcome is the result of the run after its last stream.
func (r *run) outcome() error {
	if len(r.failed) == 0 {
		return nil
	}
	return &sdk.Failure{
		Code:      string(abi.ReasonStreamCollectionFailed),
		Message:   counted(int64(len(r.failed)), "stream was", "streams were") + " not collected to the end: " + strings.Join(r.failed, "; "),
		Retryable: true,
	}
}

// capped tells that a list went on behind the last page of this run.
func (r *run) capped(stream, what string) error {
	return r.h.Skip(abi.SkipResult{Stream: stream, Reason: reasonPageCap, Message: what, RecoveryHint: abi.Raw(`"retry_by_runtime"`)})
}
