package outbox

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// MaxUnindexed is how many batches without an index are read to find out what
// they hold. With more of them it stays unknown (LC-07.3).
const MaxUnindexed = 5000

// coverageObserved says whether the lane has carried a coverage record: from what was
// delivered ever, else from the index of what is queued, else from a bounded number of
// batches that have no index. nil: it cannot be said. Records that were given up do not
// count.
func coverageObserved(ctx context.Context, q bun.IDB, lane *laneRow) (*bool, error) {
	var indexed bool
	err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM observed_streams WHERE stream = ?) OR
EXISTS (SELECT 1 FROM outbox_streams s JOIN outbox o ON o.seq = s.seq WHERE s.stream = ? AND o.status <> 'dead_letter')`,
		device.CoverageStream, device.CoverageStream).Scan(&indexed)
	if err != nil || indexed {
		return &indexed, err
	}
	found, known, err := scanUnindexed(ctx, q)
	if err != nil || !found && (!known || lane.BatchesUnknown > 0) {
		return nil, err
	}
	return &found, nil
}

// scanUnindexed reads the batches that have no index. known is false when they
// are too many, or when what one held is gone.
func scanUnindexed(ctx context.Context, q bun.IDB) (found, known bool, err error) {
	var seqs []int64
	err = q.NewRaw(`SELECT seq FROM outbox WHERE kind = 'record_batch' AND indexed = 0 AND status <> 'dead_letter' ORDER BY seq LIMIT ?`,
		MaxUnindexed+1).Scan(ctx, &seqs)
	if err != nil || len(seqs) > MaxUnindexed {
		return false, false, err
	}
	known = true
	for _, seq := range seqs {
		var content []PayloadRow
		if err := q.NewSelect().Model(&content).Where("seq = ?", seq).Scan(ctx); err != nil {
			return false, false, err
		}
		if len(content) == 0 {
			known = false
			continue
		}
		streams, readable := batchStreams(content[0].Payload)
		if slices.Contains(streams, device.CoverageStream) {
			return true, true, nil
		}
		known = known && readable
	}
	return false, known, nil
}
