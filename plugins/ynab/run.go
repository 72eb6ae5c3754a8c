package main

import (
	"errors"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
)

// The streams.
const (
	streamBudgets         = "budgets"
	streamAccounts        = "accounts"
	streamAccountStats    = "account_stats"
	streamGroups          = "category_groups"
	streamCategories      = "categories"
	streamPayees          = "payees"
	streamLocations       = "payee_locations"
	streamTransactions    = "transactions"
	streamScheduled       = "scheduled_transactions"
	streamMonths          = "months"
	streamMonthCategories = "month_categories"
)

// run is one run.
type run struct {
	h       *sdk.Host
	c       *client
	budgets []string                     // ids, as the provider lists them
	unsure  bool                         // a budget was listed in a form that hides which one it is
	types   map[string]map[string]string // of accounts, by budget and account
	listed  map[string]monthList         // months that were listed, by question
	failed  []string                     // streams, with what stopped each
}

func newRun(h *sdk.Host) (*run, error) {
	if err := h.RequireCredentials(); err != nil {
		return nil, err
	}
	c, err := newClient(h)
	if err != nil {
		return nil, err
	}
	return &run{h: h, c: c, types: make(map[string]map[string]string), listed: make(map[string]monthList)}, nil
}

// collect does the streams one by one: what stops one of them leaves the
// others to go on.
func (r *run) collect() error {
	lane := r.newLane()
	broken := false // the lane: broken while it recovered, it does not go on
	if lane.details != nil {
		if err := lane.details.Recover(); err != nil {
			if err := r.fail(err, streamMonthCategories); err != nil {
				return err
			}
			broken = true
		}
	}
	if !r.h.RecoveryOnly() {
		if err := r.listBudgets(); err != nil {
			return err
		}
		if err := r.forward(lane, broken); err != nil {
			return err
		}
	}
	if lane.details != nil && !broken {
		if err := lane.close(); err != nil {
			return err
		}
	}
	return r.outcome()
}

// forward collects everything but the budgets themselves.
func (r *run) forward(lane *monthLane, broken bool) error {
	steps := []struct {
		do      func() error
		streams []string
	}{
		{r.accounts, []string{streamAccounts, streamAccountStats}},
		{r.categories, []string{streamGroups, streamCategories}},
		{func() error { return r.delta(payees) }, []string{streamPayees}},
		{r.locations, []string{streamLocations}},
		{r.transactions, []string{streamTransactions}},
		{func() error { return r.delta(scheduled) }, []string{streamScheduled}},
		{r.months, []string{streamMonths}},
		{lane.collect, []string{streamMonthCategories}},
	}
	for _, step := range steps {
		var streams []string
		for _, stream := range step.streams {
			if r.h.Wants(stream) && !(broken && stream == streamMonthCategories) {
				streams = append(streams, stream)
			}
		}
		if len(streams) == 0 {
			continue
		}
		if r.h.Stopping() {
			return sdk.ErrStopped
		}
		if err := step.do(); err != nil {
			if err := r.fail(err, streams...); err != nil {
				return err
			}
		}
	}
	return nil
}

// fail notes that streams failed, and returns err when the run cannot go on.
func (r *run) fail(err error, streams ...string) error {
	if ends(err) {
		return err
	}
	text, hint := describe(err)
	for _, stream := range streams {
		r.failed = append(r.failed, stream+" ("+text+")")
		if err := r.h.Skip(abi.SkipResult{
			Stream: stream, Reason: string(abi.ReasonStreamCollectionFailed),
			Message: "the stream was not collected to its end: " + text, RecoveryHint: hint,
		}); err != nil {
			return err
		}
	}
	return nil
}

// ends reports whether err is the end of the run: a stop, a mistake of this
// connector, a token or subscription that is not good any more, a host that
// sends nothing any more.
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
			return f.Code == codeAuthFailed || f.Code == codeLapsed
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

// eachBudget does one budget after the other. What stops one of them leaves the
// others to go on, unless nothing is sent for now; the first error is returned.
func (r *run) eachBudget(do func(budget string) error) error {
	var first error
	for _, budget := range r.budgets {
		if r.h.Stopping() {
			return sdk.ErrStopped
		}
		err := do(budget)
		if err == nil {
			continue
		}
		if first == nil || ends(err) {
			first = err
		}
		if _, unsent := sdk.AsFetchError(err); unsent || ends(err) {
			break
		}
	}
	return first
}

// slice hands over a stream's cursor behind one budget.
func (r *run) slice(stream string, c cursor, name string) error {
	return r.h.Slice(stream, name, c.encode())
}
