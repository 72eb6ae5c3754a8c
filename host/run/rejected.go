package run

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary"
)

// Kinds of known gaps that tell of rejected records.
const (
	KindRejected        = "rejected_record"  // by this run
	KindRejectedEarlier = "rejected_earlier" // by earlier runs, and not delivered since
)

// maxFollowed bounds of how many rejected records a run remembers by which known
// gap it tells of them. The store follows them all.
const maxFollowed = 10_000

// rejectedKey names a rejected record of the run: the index of its stream, and the
// first bytes of its key's SHA-256.
type rejectedKey struct {
	stream int
	key    [16]byte
}

func rejectedKeyOf(rec *boundary.Record) rejectedKey {
	sum := sha256.Sum256(rec.Key)
	return rejectedKey{rec.Stream, [16]byte(sum[:])}
}

// reject leaves a record out, and tells of it.
func (c *collection) reject(rec *boundary.Record, stream string) error {
	if c.ledger.hasLane(stream) {
		if err := c.keep(len(rec.Key)); err != nil {
			return err
		}
	}
	c.ledger.arrived(stream, rec.Key, true)
	c.mu.Lock()
	c.rejected[rec.Stream]++
	c.mu.Unlock()
	c.batch.Reject(rec.Stream, rec.Key)
	key := rejectedKeyOf(rec)
	if at, again := c.followed[key]; again {
		c.known.takeBack(at)
	} else if len(c.followed) >= maxFollowed {
		c.known.add(rejection(rec.Rejected, stream))
		return c.flushFull()
	}
	c.followed[key] = c.known.add(rejection(rec.Rejected, stream))
	return c.flushFull()
}

// undoRejection takes back what was said of a record that the run had rejected before.
func (c *collection) undoRejection(rec *boundary.Record) {
	if len(c.followed) == 0 {
		return
	}
	key := rejectedKeyOf(rec)
	if at, was := c.followed[key]; was {
		c.known.takeBack(at)
		delete(c.followed, key)
	}
}

// rejection says where a record fails its schema, never with what value.
func rejection(r *boundary.Rejection, stream string) KnownGap {
	path := r.Path
	if path == "" {
		path = "the record"
	}
	return KnownGap{
		Kind: KindRejected, Reason: string(abi.ReasonSchemaRejected), Severity: "actionable", Stream: stream,
		Message:      fmt.Sprintf("%s fails %q of the stream's schema", path, r.Keyword),
		RecoveryHint: "retry_on_connector_upgrade",
	}
}

// RejectedEarlier is the known gap of records that earlier runs rejected and that
// no run has delivered since.
func RejectedEarlier(stream string, count int64) KnownGap {
	return KnownGap{
		Kind: KindRejectedEarlier, Reason: string(abi.ReasonSchemaRejected), Severity: "actionable", Stream: stream, Count: count,
		Message:      "rejected by earlier runs and not delivered since; once the connector is fixed, a run with --full-refresh collects it",
		RecoveryHint: "retry_on_connector_upgrade",
	}
}

// rejectedEarlier notes the records that earlier runs rejected and no run has
// delivered since: their cursors have moved on, so that a quiet run must not read
// as a whole one.
func (r *Runner) rejectedEarlier(ctx context.Context, c *collection) {
	if c.storeError() != nil {
		return
	}
	found, err := c.writer.RejectedEarlier(ctx)
	if err != nil {
		r.deps.Logger.Warn("rejected records cannot be read", "error", err)
		return
	}
	for i := range c.scope.Streams {
		if n := found[c.scope.Streams[i].Name]; n > 0 {
			c.known.add(RejectedEarlier(c.scope.Streams[i].Name, n))
		}
	}
}
