package run

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
)

// KindNotDelivered is the known gap of details that the connector called fetched
// and did not deliver.
const KindNotDelivered = "detail_not_delivered"

// delivered returns the keys that the connector calls fetched and of which the host has
// a record that proves it.
func (c *collection) delivered(ctx context.Context, report *coverageReport) (map[string]bool, error) {
	if accepted := c.ledger.accepted[report.stream]; accepted != nil {
		return heldBy(accepted, report.hydrated), nil
	}
	held, err := c.writer.Delivered(ctx, report.stream, report.hydrated)
	return held, c.stored(err)
}

// believe takes from a lane's account the keys that the connector calls fetched,
// and under which the host has no record, of this run or of one before it: a detail
// that has not changed since need not come again. What it delivered and the host
// rejected stays: a later record may mend it (see accounted).
func (c *collection) believe(ctx context.Context, report *coverageReport) error {
	if len(report.hydrated) == 0 {
		return nil
	}
	held, err := c.delivered(ctx, report)
	if err != nil {
		return err
	}
	var refused map[string]bool // details of which a record was rejected, once one is asked for
	missing := 0
	believed := report.hydrated[:0:0]
	for _, key := range report.hydrated {
		if held[key] || c.ledger.rejected[report.stream][key] {
			believed = append(believed, key)
			continue
		}
		if refused == nil {
			refused = heldBy(c.ledger.rejected[report.stream], report.hydrated)
		}
		if !refused[key] && !c.rejectedHere(report.stream, key) {
			missing++
		}
	}
	c.notDelivered(report.stream, missing)
	report.hydrated = believed
	return nil
}

// recover keeps that a gap is recovered when a record of it has arrived since it was
// served, and else that it was attempted: it is pending again at the end. The records
// of a backlog have keys of their own. A cursor stays where the connector claims more
// than it delivered.
func (c *collection) recover(ctx context.Context, g *abi.GapOutcome, of gapOf) (recovered bool, err error) {
	last := c.served.last[of.stream][of.key]
	recovered = last == goodArrival || of.backlog()
	err = c.writer.GapOutcome(ctx, g.GapID, g.LeaseID, recovered)
	if err == nil && !recovered && last == noArrival {
		c.notDelivered(of.stream, 1)
		c.ledger.claimed[of] = true
	}
	return recovered, err
}

func (c *collection) notDelivered(stream string, n int) {
	if n == 0 {
		return
	}
	c.known.add(KnownGap{
		Kind: KindNotDelivered, Reason: string(abi.ReasonDetailCoverageIncomplete), Severity: "recoverable", Stream: stream, Count: int64(n),
		Message: "the connector called a detail fetched and emitted no record of it", RecoveryHint: "retry_on_connector_upgrade",
	})
}

// notServed is the violation of an outcome of a gap that this run was not given.
func notServed(id string) error {
	return abi.NewError(abi.CodeGapInvalid, "the outcome of a gap that this run was not served",
		"name a gap of START or of the gaps operation").WithDetail(fmt.Sprintf("gap %q", clip(id, maxGapText)))
}
