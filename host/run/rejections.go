package run

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Kinds of known gaps about rejected records.
const (
	KindRejected        = "rejected_record"  // by this run
	KindRejectedEarlier = "rejected_earlier" // by earlier runs, and not delivered since
)

// maxFollowed bounds how many rejected records of a stream a run can trace to their
// known gap. The store follows them all.
const maxFollowed = 10_000

// rejections has the records that the run rejected, and which known gap counts each.
type rejections struct {
	streams  []string                  // of the scope, in its order
	followed []map[storage.KeyHash]int // by stream: rejected records, by their known gap

	mu     sync.Mutex // guards counts, which the progress display reads
	counts []int64    // by stream
}

func newRejections(scope abi.Scope) *rejections {
	n := len(scope.Streams)
	return &rejections{streams: streamNames(scope), followed: make([]map[storage.KeyHash]int, n), counts: make([]int64, n)}
}

// add counts a rejected record and adds its known gap. A record that was rejected
// before is counted once.
func (x *rejections) add(known *knownGaps, rec *boundary.Record, key storage.KeyHash, stream string) {
	x.mu.Lock()
	x.counts[rec.Stream]++
	x.mu.Unlock()
	followed := x.followed[rec.Stream]
	before, again := followed[key]
	if again {
		known.takeBack(before, rec.Key)
	}
	at := known.add(rejection(rec.Rejected, stream))
	switch {
	case followed == nil:
		x.followed[rec.Stream] = map[storage.KeyHash]int{key: at}
	case again, len(followed) < maxFollowed:
		followed[key] = at
	default:
		return
	}
	known.name(at, rec.Key)
}

// undo takes back the known gap of a record that the run had rejected before.
func (x *rejections) undo(known *knownGaps, rec *boundary.Record) {
	followed := x.followed[rec.Stream]
	if len(followed) == 0 {
		return
	}
	key := storage.HashKey(rec.Key)
	if at, was := followed[key]; was {
		known.takeBack(at, rec.Key)
		delete(followed, key)
	}
}

// has reports whether the run has rejected the record of that key and not delivered it
// since. It knows the first maxFollowed records of a stream only.
func (x *rejections) has(stream, key string) bool {
	i := slices.Index(x.streams, stream)
	if i < 0 || len(x.followed[i]) == 0 {
		return false
	}
	_, rejected := x.followed[i][storage.HashKey([]byte(key))]
	return rejected
}

// count returns how many records of each stream were rejected, in the scope's order.
func (x *rejections) count() []int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.counts)
}

// total returns how many records were rejected.
func (x *rejections) total() (n int64) {
	for _, of := range x.count() {
		n += of
	}
	return n
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

// addEarlier adds the records that earlier runs rejected and no run has delivered
// since: their cursors have moved on, so that a run without news must not read as
// complete. o is the run's outcome but for its known gaps.
func (x *rejections) addEarlier(ctx context.Context, j *journal, o storage.Outcome, logger *slog.Logger) {
	if j.storeError() != nil {
		return
	}
	known, err := json.Marshal(j.known.all())
	if err != nil {
		return // as the outcome will be
	}
	o.KnownGaps = known
	found, err := j.writer.RejectedEarlier(ctx, o)
	if err != nil {
		logger.Warn("rejected records cannot be read", "error", err)
		return
	}
	for _, stream := range x.streams {
		if n := found[stream]; n > 0 {
			j.known.add(RejectedEarlier(stream, n))
		}
	}
}
