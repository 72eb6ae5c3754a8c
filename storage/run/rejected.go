package run

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// RejectedEarlier returns, by stream of the run, how many records earlier runs
// rejected that no run has delivered since, without those that this run rejected
// again. Streams without any are left out, and those of which an end with outcome o
// settles them. It waits for everything queued before.
func (w *Writer) RejectedEarlier(ctx context.Context, o Outcome) (map[string]int64, error) {
	end, err := OutcomeRow(o)
	if err != nil {
		return nil, err
	}
	found := map[string]int64{}
	err = w.await(ctx, func(t *db.Tx) error {
		end.PK = w.To.RunPK
		if err := t.DB.NewSelect().Model(&end).Column("mode", "bookmark", "streams").WherePK().Scan(t.Ctx); err != nil {
			return err
		}
		settled := record.RefreshedBy(&end)
		tallies, err := record.OpenTallies(t, w.To)
		if err != nil {
			return err
		}
		for i, c := range tallies {
			if slices.Contains(settled, w.To.Streams[i].Name) {
				continue
			}
			n := c.Rejected
			if n > 0 {
				var own int64
				err := t.DB.QueryRowContext(t.Ctx, "SELECT count(*) FROM rejected_records WHERE stream_id = ? AND run_pk = ?", c.ID, w.To.RunPK).Scan(&own)
				if err != nil {
					return err
				}
				n -= own
			}
			n += c.Unlisted
			if w.To.Unlisted != nil {
				n -= w.To.Unlisted[i]
			}
			if n > 0 {
				found[w.To.Streams[i].Name] = n
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Delivered returns those of the keys under which the store has a record of the
// stream, or its tombstone, whichever run delivered it, and which no run has rejected
// since. Where one detail holds several records, each of their keys begins with the
// detail's own and a colon. Where RejectionsUnlisted, a record of an earlier run may be
// of a key that was rejected since. A collector's outbox, which hands records on, knows the
// keys of NewRun.ByKey's streams. It waits until everything queued before is durable.
func (w *Writer) Delivered(ctx context.Context, stream string, keys []string) (map[string]bool, error) {
	if err := w.Flush(ctx); err != nil {
		return nil, err
	}
	found := make(map[string]bool, len(keys))
	for part := range slices.Chunk(keys, record.EachKeys) {
		if err := record.Delivered(ctx, w.db, w.table, w.To.StreamID(stream), part, found); err != nil {
			return nil, w.db.Fail("read the delivered records", err)
		}
	}
	return found, nil
}

// RejectionsUnlisted returns the streams of NewRun.ByKey of which, when the run began,
// earlier runs had rejected more records than the store lists.
func (w *Writer) RejectionsUnlisted() (streams []string) {
	for _, s := range w.To.Streams {
		if s.ByKey && s.Unlisted {
			streams = append(streams, s.Name)
		}
	}
	return streams
}
