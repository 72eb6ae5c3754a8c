package collector

import (
	"sync/atomic"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Sizes of the batches that the outbox makes, for the count of them.
const (
	batchRecords = 1000
	batchBytes   = 1 << 20
)

// budget bounds what one scan enqueues (LC-02.1). It is asked between units of
// work, so that what was finished stands and the next run goes on behind it; a
// connector that has no units is one unit, and is stopped half-way only when what
// waits would fill the disk.
type budget struct {
	most, mostWaiting, mostBytes int64

	waiting atomic.Int64 // rows, as they were counted last
	units   atomic.Int64 // that were closed, each with its checkpoint

	// Only the run's own goroutine uses the fields below.
	batches, records, bytes int64
	reached                 bool
}

// accept counts a record of the unit in progress.
func (b *budget) accept(key, data []byte) {
	b.records++
	b.bytes += int64(len(key) + len(data))
}

// unit closes a unit and says whether another one may begin.
func (b *budget) unit() abi.Reason {
	b.batches += max((b.records+batchRecords-1)/batchRecords, (b.bytes+batchBytes-1)/batchBytes)
	b.records, b.bytes = 0, 0
	b.units.Add(1)
	if b.batches < b.most && b.waiting.Load() < b.mostWaiting {
		return ""
	}
	b.reached = true
	return abi.ReasonPolicyBudget
}

// startsOverAdvice is what helps a run that would start over each time.
const startsOverAdvice = "keep the host reachable while it runs, so that less waits, or collect one stream at a time with --stream; " +
	"a connector that gives checkpoints on its way goes on from the last one"

// full is why a scan ends at once: so much waits that the disk is at stake.
func (b *budget) full(bytes int64) error {
	if bytes < b.mostBytes {
		return nil
	}
	if b.units.Load() == 0 {
		return abi.NewError(abi.CodeBudgetReached, "more waits to be delivered than is kept on this machine, and the connector gave no checkpoint yet: the next run starts over",
			startsOverAdvice)
	}
	return abi.NewError(abi.CodeBudgetReached, "more waits to be delivered than is kept on this machine",
		"nothing to do when the host takes it: the next run goes on once it is delivered")
}
