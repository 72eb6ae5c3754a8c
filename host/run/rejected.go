package run

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
)

// earlierRuns is how far back a run looks for records that never arrived.
const earlierRuns = 50

// rejectedEarlier notes the records that earlier runs rejected and no run has
// delivered since: their cursors have moved on, so that only a full refresh
// brings them. It repeats itself until one has succeeded, because a quiet run
// must not read as a whole one.
func (r *Runner) rejectedEarlier(ctx context.Context, p *prepared, c *collection) {
	runs, err := r.deps.Store.Runs(ctx, p.connection.Name, earlierRuns)
	if err != nil {
		r.deps.Logger.Warn("earlier runs cannot be read", "error", err)
		return
	}
	missing := map[string]int64{}
	for _, before := range runs {
		var res Result
		if before.ID == c.runID || len(before.Result) == 0 || json.Unmarshal(before.Result, &res) != nil {
			continue
		}
		for stream, n := range res.Records {
			missing[stream] += n.Rejected
		}
		if before.Mode == abi.ModeFullRefresh && before.Status == StatusSucceeded {
			break
		}
	}
	for i, s := range c.scope.Streams {
		n := missing[s.Name]
		if n == 0 || c.rejected[i] > 0 {
			continue // this run says it itself
		}
		c.known.add(KnownGap{
			Kind: "rejected_earlier", Reason: string(abi.ReasonSchemaRejected), Severity: "actionable", Stream: s.Name, Count: n,
			Message:      fmt.Sprintf("earlier runs rejected records of %s; once the connector is fixed, --full-refresh collects them", s.Name),
			RecoveryHint: "retry_on_connector_upgrade",
		})
	}
}
