package main

import (
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
	failed  sdk.FailedStreams
}

func newRun(h *sdk.Host) (*run, error) {
	if err := h.RequireCredentials(); err != nil {
		return nil, err
	}
	c, err := newClient(h)
	if err != nil {
		return nil, err
	}
	return &run{h: h, c: c, failed: sdk.FailedStreams{Ends: ends}, types: make(map[string]map[string]string), listed: make(map[string]monthList)}, nil
}

// collect collects the streams one by one; a stream that fails does not stop the
// others.
func (r *run) collect() error {
	lane := r.newLane()
	broken := false // the lane: broken while it recovered, it does not go on
	if lane.details != nil {
		if err := lane.details.Recover(); err != nil {
			if err := r.failed.Note(r.h, err, streamMonthCategories); err != nil {
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
	return r.failed.Err()
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
			if err := r.failed.Note(r.h, err, streams...); err != nil {
				return err
			}
		}
	}
	return nil
}

// ends reports whether err ends the run, as an ended subscription does.
func ends(err error) bool {
	f, ok := sdk.AsFailure(err)
	return sdk.EndsRun(err) || ok && f.Code == codeLapsed
}

// eachBudget handles one budget after the other. A failure of one does not stop the
// others, unless no request can be sent for now; the first error is returned.
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
