package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Kinds of known gaps that tell of rejected records.
const (
	KindRejected        = "rejected_record"  // by this run
	KindRejectedEarlier = "rejected_earlier" // by earlier runs, and not delivered since
)

// maxFollowed bounds how many rejected records of a stream a run can trace to their
// known gap. The store follows them all.
const maxFollowed = 10_000

// reject leaves a record out, and tells of it.
func (c *collection) reject(rec *boundary.Record, stream string) error {
	if c.ledger.hasLane(stream) {
		if err := c.keep(len(rec.Key)); err != nil {
			return err
		}
	}
	c.ledger.arrived(stream, rec.Key, true)
	c.served.arrived(stream, rec.Key, rejectedArrival)
	c.mu.Lock()
	c.rejected[rec.Stream]++
	c.mu.Unlock()
	key := storage.HashKey(rec.Key)
	c.batch.Reject(rec.Stream, key)
	followed := c.followed[rec.Stream]
	before, again := followed[key]
	if again {
		c.known.takeBack(before, rec.Key)
	}
	at := c.known.add(rejection(rec.Rejected, stream))
	switch {
	case followed == nil:
		c.followed[rec.Stream] = map[storage.KeyHash]int{key: at}
	case again, len(followed) < maxFollowed:
		followed[key] = at
	default:
		return c.flushFull()
	}
	c.known.name(at, rec.Key)
	return c.flushFull()
}

// rejectedHere reports whether the run has rejected the record of that key, and not
// delivered it since; of the first maxFollowed ones alone.
func (c *collection) rejectedHere(stream, key string) bool {
	i := slices.IndexFunc(c.scope.Streams, func(s abi.StreamScope) bool { return s.Name == stream })
	if i < 0 || len(c.followed[i]) == 0 {
		return false
	}
	_, rejected := c.followed[i][storage.HashKey([]byte(key))]
	return rejected
}

// undoRejection takes back what was said of a record that the run had rejected before.
func (c *collection) undoRejection(rec *boundary.Record) {
	followed := c.followed[rec.Stream]
	if len(followed) == 0 {
		return
	}
	key := storage.HashKey(rec.Key)
	if at, was := followed[key]; was {
		c.known.takeBack(at, rec.Key)
		delete(followed, key)
	}
}

// rejection says where a record fails its schema and by which types, never with what
// value.
func rejection(r *boundary.Rejection, stream string) KnownGap {
	path := r.Path
	if path == "" {
		path = "the record"
	}
	message := fmt.Sprintf("%s fails %q of the stream's schema", path, r.Keyword)
	if r.Types != "" {
		message += " (" + r.Types + ")"
	}
	return KnownGap{
		Kind: KindRejected, Reason: string(abi.ReasonSchemaRejected), Severity: "actionable", Stream: stream,
		Message: message, RecoveryHint: "retry_on_connector_upgrade",
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
// as a whole one. o is the run's outcome but for what is known to be missing.
func (r *Runner) rejectedEarlier(ctx context.Context, c *collection, o storage.Outcome) {
	if c.storeError() != nil {
		return
	}
	known, err := json.Marshal(c.known.all())
	if err != nil {
		return // as the outcome will be
	}
	o.KnownGaps = known
	found, err := c.writer.RejectedEarlier(ctx, o)
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
