package collector

import (
	"context"
	"fmt"
	"os"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CompactResult is what compacting did.
type CompactResult struct {
	Object           string    `json:"object"` // local_collector_compact
	SourceInstanceID string    `json:"source_instance_id"`
	BytesBefore      int64     `json:"bytes_before"`
	BytesAfter       int64     `json:"bytes_after"`
	After            LaneState `json:"after"`
}

// Compact gives the disk back what was pruned. It is refused while anything waits
// to be delivered: the file is written anew, and what waits is there alone.
func (c *Collector) Compact(ctx context.Context) (*CompactResult, error) {
	r := &CompactResult{Object: "local_collector_compact", SourceInstanceID: c.deps.Profile.SourceInstanceID, BytesBefore: fileSize(c.deps.LanePath)}
	err := c.upkeep(ctx, &r.After, func(store *storage.Outbox) error {
		counts, err := store.OutboxCounts(ctx)
		if err != nil {
			return err
		}
		if n := undelivered(&counts); n > 0 {
			return abi.NewError(CodeLaneUndelivered, fmt.Sprintf("%d uploads are still to be delivered", n),
				"deliver them first: pdpp-local-collector run --source-instance-id "+c.deps.Profile.SourceInstanceID)
		}
		return store.CompactLane(ctx)
	})
	r.BytesAfter = fileSize(c.deps.LanePath)
	return r, err
}

// fileSize is 0 for a file that is not there.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
