package run

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
)

// KindNotDelivered is the known gap of details that the connector called fetched
// and did not deliver.
const KindNotDelivered = "detail_not_delivered"

// dropUndelivered takes from a lane's account the keys that the connector calls
// hydrated and under which the host has no record, of this run or of an earlier one: a
// detail that has not changed since need not come again. A key whose record was
// rejected stays: a later record may mend it (see Ledger.AddCoverage).
func (c *checkpoints) dropUndelivered(report *ledger.Report) error {
	if len(report.Hydrated) == 0 {
		return nil
	}
	delivered, err := c.delivered(report)
	if err != nil {
		return err
	}
	var refused map[string]bool // details that have a rejected record, once the first is looked up
	missing := 0
	kept := report.Hydrated[:0:0]
	for _, key := range report.Hydrated {
		if delivered[key] || c.ledger.Rejected(report.Stream, key) {
			kept = append(kept, key)
			continue
		}
		if refused == nil {
			refused = c.ledger.RejectedDetails(report.Stream, report.Hydrated)
		}
		if !refused[key] && !c.rejections.has(report.Stream, key) {
			missing++
		}
	}
	c.notDelivered(report.Stream, missing)
	report.Hydrated = kept
	return nil
}

// delivered returns which of the hydrated keys the host has a record of that proves
// the detail.
func (c *checkpoints) delivered(report *ledger.Report) (map[string]bool, error) {
	if c.ledger.NeedsFresh(report.Stream) {
		return c.ledger.FreshDetails(report.Stream, report.Hydrated), nil
	}
	found, err := c.writer.Delivered(c.lasting(), report.Stream, report.Hydrated)
	return found, c.stored(err)
}

// notDelivered adds the known gap of n details that were called fetched and never came.
func (j *journal) notDelivered(stream string, n int) {
	if n == 0 {
		return
	}
	j.known.add(KnownGap{
		Kind: KindNotDelivered, Reason: string(abi.ReasonDetailCoverageIncomplete), Severity: "recoverable", Stream: stream, Count: int64(n),
		Message: "the connector called a detail fetched and emitted no record of it", RecoveryHint: "retry_on_connector_upgrade",
	})
}

// recover stores that a gap is recovered when a good record of it has arrived since it
// was served, and otherwise that it was attempted: the gap is pending again at the end. The
// records of a backlog have keys of their own. A cursor stays where the connector claims
// more than it delivered.
func (g *gaps) recover(msg *abi.GapOutcome, of ledger.Gap) (recovered bool, err error) {
	last := g.served.Last(of)
	recovered = last == ledger.GoodArrival || of.Backlog()
	err = g.writer.GapOutcome(g.lasting(), msg.GapID, msg.LeaseID, recovered)
	if err == nil && !recovered && last == ledger.NoArrival {
		g.notDelivered(of.Stream, 1)
		g.ledger.Claim(of)
	}
	return recovered, err
}

// notServed is the violation of an outcome of a gap that this run was not given.
func notServed(id string) error {
	return abi.NewError(abi.CodeGapInvalid, "the outcome of a gap that this run was not served",
		"name a gap of START or of the gaps operation").WithDetail(fmt.Sprintf("gap %q", clip(id, maxGapText)))
}
