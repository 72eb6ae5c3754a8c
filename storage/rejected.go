package storage

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"

	"context"
	"crypto/sha256"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// maxListedRejections bounds how many of a stream's rejected records are kept by
// their keys. Records beyond it are only counted, and only a full refresh ends
// them.
const maxListedRejections = 10_000

// KeyHash names a record's key in a few bytes of fixed length, however long the
// key is: the first ones of its SHA-256.
type KeyHash [16]byte

// HashKey returns the hash of a key's canonical text.
func HashKey(key []byte) KeyHash {
	sum := sha256.Sum256(key)
	return KeyHash(sum[:])
}

// rejection is one rejected record of a batch.
type rejection struct {
	before int // it came before the batch's record of this index
	stream int32
	key    KeyHash
}

const (
	// listRejection lists a record.
	listRejection = `INSERT INTO rejected_records (stream_id, key_sha256, run_pk) VALUES (?, ?, ?)`
	// repeatRejection says that this run rejected a listed record again.
	repeatRejection = `UPDATE rejected_records SET run_pk = ? WHERE stream_id = ? AND key_sha256 = ?`
	// endRejection takes a record that arrived from the list.
	endRejection = `DELETE FROM rejected_records WHERE stream_id = ? AND key_sha256 = ?`
)

// followRejections lists the records of a batch that were rejected, and ends the
// rejection of those that it delivers, changed or not, or deletes. The order is the
// guest's: the last word on a key counts. A batch that rejects nothing, of a run
// whose streams have no rejected records, costs nothing here.
func followRejections(t *db.Tx, to *Target, b *Batch) error {
	streams, err := openTally(t, to)
	if err != nil {
		return err
	}
	if len(b.rejections) == 0 && !slices.ContainsFunc(streams, func(c tally) bool { return c.rejected > 0 }) {
		return nil
	}
	waiting := b.rejections
	for i := range b.rows {
		for len(waiting) > 0 && waiting[0].before <= i {
			if err := reject(t, to, &waiting[0]); err != nil {
				return err
			}
			waiting = waiting[1:]
		}
		r := &b.rows[i]
		c := &streams[r.stream]
		if c.rejected == 0 {
			continue
		}
		hash := HashKey(b.arena[r.at:][:r.key])
		changed, _, err := run(t, stDeliver, 0, c.id, hash[:])
		if err != nil {
			return err
		}
		if changed {
			c.rejected--
		}
	}
	for i := range waiting {
		if err := reject(t, to, &waiting[i]); err != nil {
			return err
		}
	}
	return nil
}

// reject lists one rejected record, or counts it where the list is full.
func reject(t *db.Tx, to *Target, r *rejection) error {
	tallies, err := openTally(t, to)
	if err != nil {
		return err
	}
	c := &tallies[r.stream]
	res, err := t.DB.ExecContext(t.Ctx, repeatRejection, to.RunPK, c.id, r.key[:])
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); n > 0 || err != nil {
		return err
	}
	if c.rejected < maxListedRejections {
		c.rejected++
		_, err := t.DB.ExecContext(t.Ctx, listRejection, c.id, r.key[:], to.RunPK)
		return err
	}
	if to.Unlisted == nil {
		to.Unlisted = make([]int64, len(to.Streams))
	}
	to.Unlisted[r.stream]++
	c.unlisted = max(c.unlisted, to.Unlisted[r.stream])
	return nil
}

// refreshedBy returns the streams that a full refresh has collected whole: it has read
// everything that there is. Of any other run, none.
func refreshedBy(row *runRow) []string {
	if row.Mode != abi.ModeFullRefresh || row.Status != statusSucceeded {
		return nil
	}
	return collectedBy(row, wholeOf(row))
}

// refreshed ends the rejections of earlier runs in the streams that a full refresh
// has collected whole.
func refreshed(t *db.Tx, to *Target, row *runRow) error {
	whole := refreshedBy(row)
	if len(whole) == 0 {
		return nil
	}
	streams, err := openTally(t, to)
	if err != nil {
		return err
	}
	for i := range streams {
		c := &streams[i]
		if c.rejected == 0 && c.unlisted == 0 || !slices.Contains(whole, to.Streams[i].Name) {
			continue
		}
		res, err := t.DB.ExecContext(t.Ctx, "DELETE FROM rejected_records WHERE stream_id = ? AND run_pk <> ?", c.id, to.RunPK)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		c.rejected -= n
		if c.unlisted = 0; to.Unlisted != nil {
			c.unlisted = to.Unlisted[i]
		}
	}
	return nil
}

// rejectedMoved writes how many rejected records a stream has now.
func rejectedMoved(t *db.Tx, connectionID string, c *tally) error {
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE streams SET rejected = ?, rejected_unlisted = ? WHERE id = ?", c.rejected, c.unlisted, c.id)
	if err != nil {
		return err
	}
	change, err := evidence(t, connectionID)
	if err != nil {
		return err
	}
	change.rejected = true
	return nil
}

// RejectedEarlier returns, by stream of the run, how many records earlier runs
// rejected that no run has delivered since, without those that this run rejected
// again. Streams without any are left out, and those of which an end with outcome o
// settles them. It waits for everything queued before.
func (w *RunWriter) RejectedEarlier(ctx context.Context, o Outcome) (map[string]int64, error) {
	end, err := outcomeRow(o)
	if err != nil {
		return nil, err
	}
	found := map[string]int64{}
	err = w.await(ctx, func(t *db.Tx) error {
		end.PK = w.to.RunPK
		if err := t.DB.NewSelect().Model(&end).Column("mode", "bookmark", "streams").WherePK().Scan(t.Ctx); err != nil {
			return err
		}
		settled := refreshedBy(&end)
		tallies, err := openTally(t, w.to)
		if err != nil {
			return err
		}
		for i, c := range tallies {
			if slices.Contains(settled, w.to.Streams[i].Name) {
				continue
			}
			n := c.rejected
			if n > 0 {
				var own int64
				err := t.DB.QueryRowContext(t.Ctx, "SELECT count(*) FROM rejected_records WHERE stream_id = ? AND run_pk = ?", c.id, w.to.RunPK).Scan(&own)
				if err != nil {
					return err
				}
				n -= own
			}
			n += c.unlisted
			if w.to.Unlisted != nil {
				n -= w.to.Unlisted[i]
			}
			if n > 0 {
				found[w.to.Streams[i].Name] = n
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// rejected reads which streams have rejected records that no run has delivered.
func (g gatherer) rejected(id string, f *health.Stored) error {
	f.RejectedRecords = nil
	return g.db.NewRaw(`SELECT name AS stream, rejected AS listed, rejected_unlisted AS unlisted FROM streams
WHERE connection_id = ? AND removed = 0 AND (rejected > 0 OR rejected_unlisted > 0) ORDER BY name`, id).Scan(g.ctx, &f.RejectedRecords)
}
