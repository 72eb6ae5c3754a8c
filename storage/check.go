package storage

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
)

// CheckReport says whether the store keeps its promises. It is clean when
// Problems is empty.
type CheckReport struct {
	Problems []string // each names what is broken, never a record's value
	Records  int64    // as many as were looked at, or are said to be there; tombstones included
}

// invariant is a question with no answer in a sound store.
type invariant struct{ what, query string }

// briefInvariants are answered without a look at records, history or gaps, however many there are.
var briefInvariants = []invariant{
	{"a checkpoint is ahead of the store's records", `SELECT stream FROM states WHERE seq > (SELECT value FROM counters WHERE name = 'change')`},
	{"a checkpoint is of no run, or of a run with another bookmark", `SELECT s.stream FROM states s JOIN connections c ON c.id = s.connection_id LEFT JOIN runs r ON r.run_id = s.run_id
WHERE r.pk IS NULL AND c.pruned_to = 0 OR r.bookmark <> s.bookmark OR r.connection_id <> s.connection_id`},
	{"a lease is of no running run", `SELECT l.connection_id FROM leases l LEFT JOIN runs r ON r.run_id = l.run_id
WHERE l.run_id <> '' AND (r.pk IS NULL OR r.status <> 'running' OR r.epoch <> l.epoch)`},
	{"a cursor is staged by a run that has ended", `SELECT st.stream FROM staged_states st JOIN runs r ON r.pk = st.run_pk WHERE r.status <> 'running'`},
	{"two trusted devices feed one binding", `SELECT s.binding FROM source_instances s JOIN devices d ON d.id = s.device_id
WHERE d.revoked_us = 0 GROUP BY s.connector, s.binding HAVING count(*) > 1`},
	{"a stream has counted fewer than no records", `SELECT id FROM streams WHERE removed = 0 AND (live < 0 OR deleted < 0)`},
}

var invariants = []invariant{
	{"the stream's counters differ from its records", `SELECT s.id FROM streams s LEFT JOIN
(SELECT stream_id, sum(1 - deleted) AS live, sum(deleted) AS dead, max(seq) AS last FROM records GROUP BY stream_id) r
ON r.stream_id = s.id WHERE s.removed = 0 AND
(s.live <> coalesce(r.live, 0) OR s.deleted <> coalesce(r.dead, 0) OR s.last_seq < coalesce(r.last, 0))`},
	{"records of no stream", `SELECT DISTINCT stream_id FROM records WHERE stream_id NOT IN (SELECT id FROM streams)`},
	{"a stream's count of rejected records differs from their list", `SELECT s.id FROM streams s WHERE s.removed = 0 AND
s.rejected <> (SELECT count(*) FROM rejected_records r WHERE r.stream_id = s.id)`},
	{"a stream's count of records that their owner has deleted differs from their list", `SELECT s.id FROM streams s WHERE s.removed = 0 AND
s.erased <> (SELECT count(*) FROM erasures e WHERE e.connection_id = s.connection_id AND e.stream = s.name)`},
	{"a record that its owner has deleted is there", `SELECT r.seq FROM erasures e JOIN streams s ON s.connection_id = e.connection_id AND s.name = e.stream AND s.removed = 0
JOIN records r ON r.stream_id = s.id AND r.key = e.key WHERE r.deleted = 0`},
	{"rejected records of no stream", `SELECT DISTINCT stream_id FROM rejected_records WHERE stream_id NOT IN (SELECT id FROM streams WHERE removed = 0)`},
	{"an enumeration is of no stream", `SELECT id FROM enumerations WHERE stream_id NOT IN (SELECT id FROM streams)`},
	{"marks of no enumeration", `SELECT DISTINCT enumeration_id FROM marks WHERE enumeration_id NOT IN (SELECT id FROM enumerations)`},
	{"what no enumeration has met", `SELECT DISTINCT enumeration_id FROM met WHERE enumeration_id NOT IN (SELECT id FROM enumerations)`},
	{"a record's sequence is above the store's counter", `SELECT seq FROM records WHERE seq > (SELECT value FROM counters WHERE name = 'change')`},
	{"a tombstone has data, or a record has none", `SELECT seq FROM records WHERE (deleted = 1) <> (data IS NULL)`},
	{"a record is of no run", `SELECT r.seq FROM records r JOIN streams s ON s.id = r.stream_id JOIN connections c ON c.id = s.connection_id
WHERE s.removed = 0 AND r.run_pk > c.pruned_to AND r.run_pk NOT IN (SELECT pk FROM runs)`},
	{"a run is running without a lease", `SELECT r.run_id FROM runs r LEFT JOIN leases l ON l.run_id = r.run_id WHERE r.status = 'running' AND l.run_id IS NULL`},
	{"a gap is leased to a run that has ended", `SELECT g.id FROM gaps g LEFT JOIN runs r ON r.run_id = g.lease_run_id
WHERE g.status = 'in_progress' AND (r.pk IS NULL OR r.status <> 'running')`},
	{"a delivery of no run was taken", `SELECT b.batch_id FROM device_batches b JOIN source_instances s ON s.id = b.source_id JOIN connections c ON c.id = s.connection_id
WHERE c.pruned_to = 0 AND b.run_id NOT IN (SELECT run_id FROM runs)`},
}

// laneInvariants hold for a collector's outbox, whose tables every file has.
var laneInvariants = []invariant{
	{"undelivered work has no contents", `SELECT id FROM outbox WHERE status <> 'succeeded' AND seq NOT IN (SELECT seq FROM outbox_payloads)`},
	{"a queued batch is of no stream", `SELECT id FROM outbox WHERE indexed = 1 AND seq NOT IN (SELECT seq FROM outbox_streams)`},
	{"queued work is leased to nobody, or held without a lease", `SELECT id FROM outbox WHERE (status = 'leased') <> (lease_holder <> '')`},
}

// Look holds what a store says in a few rows to its promises, and counts its records by what its streams have counted. How long it takes
// does not depend on how many records there are. A damaged file is in the report, as far as it is met.
func (s *Store) Look(ctx context.Context) (*CheckReport, error) {
	r := &CheckReport{}
	err := s.db.Snapshot(ctx, func(q bun.IDB) error {
		if err := r.hold(ctx, q, briefInvariants); err != nil {
			return err
		}
		return q.NewRaw("SELECT coalesce(sum(live + deleted), 0) FROM streams WHERE removed = 0").Scan(ctx, &r.Records)
	})
	if err != nil {
		return r.damaged(s.db.Fail("look at the store", err))
	}
	return r, nil
}

// hold asks each of a list.
func (r *CheckReport) hold(ctx context.Context, q bun.IDB, list []invariant) error {
	for _, i := range list {
		var first []string
		if err := q.NewRaw("WITH broken (x) AS ("+i.query+") SELECT CAST(x AS TEXT) FROM broken LIMIT 3").Scan(ctx, &first); err != nil {
			return err
		}
		for _, x := range first {
			r.Problems = append(r.Problems, i.what+" ("+x+")")
		}
	}
	return nil
}

// Check reads the whole store: whether it is damaged, and the promises above. It takes long on a large store and holds a snapshot
// meanwhile. A damaged file is in the report; an error says that the check
// could not be made.
func (s *Store) Check(ctx context.Context) (*CheckReport, error) {
	r := &CheckReport{}
	err := s.db.Snapshot(ctx, func(q bun.IDB) error {
		damage, err := s.db.Damage(ctx, q)
		if err != nil {
			return err
		}
		r.Problems = append(r.Problems, damage...)
		list := slices.Concat(briefInvariants, invariants)
		if !s.db.IsServer() {
			list = append(list, laneInvariants...)
		}
		if err := r.hold(ctx, q, list); err != nil {
			return err
		}
		return q.NewRaw("SELECT count(*) FROM records").Scan(ctx, &r.Records)
	})
	if err != nil {
		return r.damaged(s.db.Fail("check", err))
	}
	return r, nil
}

// damaged puts a corrupt file into the report; other errors end the check.
func (r *CheckReport) damaged(err error) (*CheckReport, error) {
	if abi.CodeOf(err) != abi.CodeStoreCorrupt {
		return nil, err
	}
	r.Problems = append(r.Problems, err.Error())
	return r, nil
}

// Host is the server that a store is on.
type Host struct {
	Version, Encoding string
	Durable           bool // it confirms a write when that is on its disk
}

// Host returns the store's server, nil for a file.
func (s *Store) Host(ctx context.Context) (*Host, error) {
	if !s.db.IsServer() {
		return nil, nil //nolint:nilnil // a file has none
	}
	h := &Host{}
	err := s.db.Read.QueryRowContext(ctx, `SELECT current_setting('server_version'), current_setting('server_encoding'),
current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AND current_setting('synchronous_commit') <> 'off'`).
		Scan(&h.Version, &h.Encoding, &h.Durable)
	return h, s.db.Fail("look at the server", err)
}

// Stats sizes the store.
type Stats struct {
	Connections, Runs, Records, Tombstones int64
	LastSeq                                int64
	FileBytes, LogBytes                    int64 // the database; its write-ahead log
	FreeBytes                              int64 // pages of a file that are used again
}

// Stats returns sizes and counts without scanning records.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	var st Stats
	err := s.db.Read.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM connections), (SELECT count(*) FROM runs),
(SELECT coalesce(sum(live), 0) FROM streams WHERE removed = 0), (SELECT coalesce(sum(deleted), 0) FROM streams WHERE removed = 0),
(SELECT value FROM counters WHERE name = 'change')`).
		Scan(&st.Connections, &st.Runs, &st.Records, &st.Tombstones, &st.LastSeq)
	if err == nil {
		st.FreeBytes, err = s.db.Free(ctx)
	}
	st.FileBytes, st.LogBytes = s.db.Size(ctx)
	return st, s.db.Fail("read the statistics", err)
}
