package run

import "github.com/pdpp-host/pdpp-host/abi"

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
