package record

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// MaxListedRejections bounds how many of a stream's rejected records are kept by
// their keys. Records beyond it are only counted, and only a full refresh ends
// them.
const MaxListedRejections = 10_000

const (
	// listRejection lists a record.
	listRejection = `INSERT INTO rejected_records (stream_id, key_sha256, run_pk) VALUES (?, ?, ?)`
	// repeatRejection says that this run rejected a listed record again.
	repeatRejection = `UPDATE rejected_records SET run_pk = ? WHERE stream_id = ? AND key_sha256 = ?`
)

// FollowRejections lists the records of a batch that were rejected, and ends the
// rejection of those that it delivers, changed or not, or deletes. The order is the
// guest's: the last word on a key counts. A batch that rejects nothing, of a run
// whose streams have no rejected records, costs nothing here.
func FollowRejections(t *db.Tx, to *Target, b *Batch) error {
	streams, err := OpenTallies(t, to)
	if err != nil {
		return err
	}
	if len(b.rejections) == 0 && !slices.ContainsFunc(streams, func(c Tally) bool { return c.Rejected > 0 }) {
		return nil
	}
	waiting, left := b.rejections, map[int32]bool{}
	for i := range b.rows {
		for len(waiting) > 0 && waiting[0].before <= i {
			if err := reject(t, to, &waiting[0], left); err != nil {
				return err
			}
			waiting = waiting[1:]
		}
		r := &b.rows[i]
		c := &streams[r.stream]
		if c.Rejected == 0 {
			continue
		}
		hash := HashKey(b.arena[r.at:][:r.key])
		changed, _, err := run(t, stDeliver, 0, c.ID, hash[:])
		if err != nil {
			return err
		}
		if changed {
			c.Rejected--
		}
	}
	for i := range waiting {
		if err := reject(t, to, &waiting[i], left); err != nil {
			return err
		}
	}
	for stream := range left {
		if err := SpoilEnumeration(t, to.Streams[stream].ID, SweepRejected); err != nil {
			return err
		}
	}
	return nil
}

// reject lists one rejected record, or counts it where the list is full, and notes that something
// is left out of its stream. One that its owner has deleted is not missing.
func reject(t *db.Tx, to *Target, r *rejection, left map[int32]bool) error {
	tallies, err := OpenTallies(t, to)
	if err != nil {
		return err
	}
	c := &tallies[r.stream]
	if c.erased > 0 {
		if erased, err := isErased(t, to, r); err != nil || erased {
			return err
		}
	}
	left[r.stream] = true
	res, err := t.DB.ExecContext(t.Ctx, repeatRejection, to.RunPK, c.ID, r.key[:])
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); n > 0 || err != nil {
		return err
	}
	if c.Rejected < MaxListedRejections {
		c.Rejected++
		_, err := t.DB.ExecContext(t.Ctx, listRejection, c.ID, r.key[:], to.RunPK)
		return err
	}
	if to.Unlisted == nil {
		to.Unlisted = make([]int64, len(to.Streams))
	}
	to.Unlisted[r.stream]++
	c.Unlisted = max(c.Unlisted, to.Unlisted[r.stream])
	return nil
}

// RefreshedBy returns the streams that a full refresh has collected whole: it has read
// everything that there is. Of any other run, none.
func RefreshedBy(row *tables.RunRow) []string {
	if row.Mode != abi.ModeFullRefresh || row.Status != tables.StatusSucceeded {
		return nil
	}
	return evidence.CollectedBy(row, evidence.WholeStreams(row))
}

// EndRejections ends the rejections of earlier runs in the streams that a full refresh
// has collected whole.
func EndRejections(t *db.Tx, to *Target, row *tables.RunRow) error {
	whole := RefreshedBy(row)
	if len(whole) == 0 {
		return nil
	}
	streams, err := OpenTallies(t, to)
	if err != nil {
		return err
	}
	for i := range streams {
		c := &streams[i]
		if c.Rejected == 0 && c.Unlisted == 0 || !slices.Contains(whole, to.Streams[i].Name) {
			continue
		}
		res, err := t.DB.ExecContext(t.Ctx, "DELETE FROM rejected_records WHERE stream_id = ? AND run_pk <> ?", c.ID, to.RunPK)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		c.Rejected -= n
		if c.Unlisted = 0; to.Unlisted != nil {
			c.Unlisted = to.Unlisted[i]
		}
	}
	return nil
}
