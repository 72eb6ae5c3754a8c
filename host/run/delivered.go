package run

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
)

// KindNotDelivered is the known gap of details that the connector called fetched
// and did not deliver.
const KindNotDelivered = "detail_not_delivered"

// delivered returns those of the keys under which the host has a record, of this
// run or of one before it: a detail that has not changed since need not come again.
// A key whose record was rejected last is left out. A collector's own file holds no
// records, and there the run's own count.
func (c *collection) delivered(ctx context.Context, stream string, keys []string) (map[string]bool, error) {
	if c.ledger.accepted != nil || len(keys) == 0 {
		return c.ledger.accepted[stream], nil
	}
	held, err := c.writer.Delivered(ctx, stream, keys)
	return held, c.stored(err)
}

// believe takes from a lane's account the keys that the connector calls fetched,
// and under which it has delivered nothing. What it delivered and the host rejected
// stays: a later record may mend it (see accounted).
func (c *collection) believe(ctx context.Context, report *coverageReport) error {
	held, err := c.delivered(ctx, report.stream, report.hydrated)
	if err != nil {
		return err
	}
	believed := report.hydrated[:0:0]
	for _, key := range report.hydrated {
		if held[key] || c.ledger.rejected[report.stream][key] {
			believed = append(believed, key)
		}
	}
	c.notDelivered(report.stream, len(report.hydrated)-len(believed))
	report.hydrated = believed
	return nil
}

// recover keeps that a gap is recovered when its record has arrived, and else that
// it was attempted: it is pending again at the end. The records of a backlog have keys
// of their own. A cursor stays where the connector claims more than it delivered.
func (c *collection) recover(ctx context.Context, g *abi.GapOutcome, of gapOf) (recovered bool, err error) {
	rejected := c.ledger.rejected[of.stream][of.key]
	switch {
	case rejected, of.backlog():
		recovered = !rejected
		err = c.writer.GapOutcome(ctx, g.GapID, g.LeaseID, recovered)
	case c.ledger.accepted != nil:
		recovered = c.ledger.accepted[of.stream][of.key]
		err = c.writer.GapOutcome(ctx, g.GapID, g.LeaseID, recovered)
	default:
		recovered, err = c.writer.RecoverGap(ctx, g.GapID, g.LeaseID)
	}
	if err == nil && !recovered && !rejected {
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
