package run

import "github.com/pdpp-host/pdpp-host/abi"

// bound is the owner's bound at which the run stopped asking: its requests, its
// time or its retries; "" when it met none. Retries that ended before anything was
// answered are a provider that is down, and an open circuit is one that is unwell.
func (c *collection) bound() abi.Reason {
	if c.sending == nil {
		return ""
	}
	switch reason := c.sending.Stopped(); reason {
	case abi.ReasonRequestCapReached, abi.ReasonWallClockDeadline:
		return reason
	case abi.ReasonRetryBudgetExhausted:
		if c.sending.Counts().Answered > 0 {
			return reason
		}
	}
	return ""
}

// weigh ends the run after a unit that has used up what one run may: its cursor
// is committed, so the next run goes on behind it. What the guest still says
// until it has wound up counts as in any run.
func (c *collection) weigh() {
	if c.deps.Budget == nil || c.planned != "" {
		return
	}
	if c.planned = c.deps.Budget(); c.planned != "" {
		c.stop(abi.NewError(abi.CodeBudgetReached, "the run stopped at its own bound, between two units of work",
			"run it again: it goes on behind the last one").WithDetail(string(c.planned)))
	}
}
