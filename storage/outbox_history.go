package storage

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// PruneHistory deletes the lane's runs that have ended, with their events and
// counts, but for the keep newest, and returns how many. What an older one says
// that no kept one does stays with it: which stream it was the last to collect,
// what it was the last to miss. So the connection's evidence is made again from
// what is left as it was made from all of them, byte for byte.
func (s *Store) PruneHistory(ctx context.Context, keep int) (pruned int64, err error) {
	if err := s.ofLane(); err != nil {
		return 0, err
	}
	if keep < 1 {
		return 0, abi.NewError(CodeKeepRefused, "a prune has to keep at least one run", "give a number from 1")
	}
	var connections []string
	if err := s.read.NewSelect().Model((*connectionRow)(nil)).Column("id").Order("name").Scan(ctx, &connections); err != nil {
		return 0, s.fail("read the runs", err)
	}
	for _, id := range connections {
		for after := int64(0); after >= 0; {
			var gone []int64
			var next int64
			err := s.inLane(ctx, "prune runs", func(t *tx) (err error) {
				if gone, next, err = t.spareRuns(id, after, keep); err != nil || len(gone) == 0 {
					return err
				}
				return t.deleteRuns(gone)
			})
			if err != nil {
				return pruned, err
			}
			pruned, after = pruned+int64(len(gone)), next
		}
	}
	return pruned, nil
}

// spareRuns returns which of the runs after a pk can go, of a bounded number, and
// where the next ones begin; below 0: there are none.
func (t *tx) spareRuns(connectionID string, after int64, keep int) (gone []int64, next int64, err error) {
	h, err := t.readHistory(connectionID)
	if err != nil {
		return nil, 0, err
	}
	waiting, err := t.undeliveredRuns()
	if err != nil {
		return nil, 0, err
	}
	ended := 0
	for i := range h.rows {
		if h.rows[i].Status != StatusRunning {
			ended++
		}
	}
	var old []int64
	next = -1
	for i := range h.rows {
		r := &h.rows[i]
		if r.Status == StatusRunning {
			continue
		}
		if ended <= keep {
			break
		}
		ended--
		if r.PK <= after || slices.Contains(waiting, r.RunID) {
			continue
		}
		if len(old) == pruneRows {
			next = old[len(old)-1]
			break
		}
		old = append(old, r.PK)
	}
	if len(old) == 0 {
		return nil, next, nil
	}
	h.says = h.replay()
	h.spare(old)
	return h.gone, next, nil
}

// undeliveredRuns are the runs of which something is still to be delivered.
func (t *tx) undeliveredRuns() (ids []string, err error) {
	err = t.db.NewRaw("SELECT DISTINCT run_id FROM outbox WHERE "+undelivered).Scan(t.ctx, &ids)
	return ids, err
}

// laneHistory is what the runs of a connection say, and which of them are not needed
// for it.
type laneHistory struct {
	rows []runRow
	says string
	gone []int64 // ascending
}

// readHistory reads the runs without what their replay does not look at: of a
// connector that says much that is most of them.
func (t *tx) readHistory(connectionID string) (*laneHistory, error) {
	h := &laneHistory{}
	for after := int64(0); ; {
		var page []runRow
		err := t.db.NewSelect().Model(&page).ExcludeColumn("result").Where("connection_id = ? AND pk > ?", connectionID, after).
			Order("pk").Limit(eachPage).Scan(t.ctx)
		if err != nil {
			return nil, err
		}
		for i := range page {
			page[i].KnownGaps = bareGaps(page[i].KnownGaps)
		}
		h.rows = append(h.rows, page...)
		if len(page) < eachPage {
			return h, nil
		}
		after = page[len(page)-1].PK
	}
}

// bareGaps leaves the messages and the diagnostics out of a run's known gaps. What
// cannot be read stays unreadable.
func bareGaps(text string) string {
	if text == "" {
		return ""
	}
	var list []left
	if _, ok := knownGaps(&runRow{KnownGaps: text}); !ok || json.Unmarshal([]byte(text), &list) != nil {
		return "unreadable"
	}
	for i := range list {
		list[i].Message, list[i].Diagnostics = "", nil
	}
	bare, err := json.Marshal(list)
	if err != nil {
		return "unreadable"
	}
	return string(bare)
}

// replay returns what the runs say that are not gone, as it is kept.
func (h *laneHistory) replay() string {
	f, settled, gone := &health.Stored{}, int64(0), h.gone
	for i := range h.rows {
		r := &h.rows[i]
		switch {
		case len(gone) > 0 && gone[0] == r.PK:
			gone = gone[1:]
			continue
		case r.Status == StatusRunning:
			beginRun(f, r)
			continue
		}
		endRun(f, r)
		if counts(r) {
			settled = r.PK
		}
	}
	text, err := json.Marshal(struct {
		Facts   *health.Stored `json:"facts"`
		Settled int64          `json:"settled"`
	}{f, settled})
	if err != nil {
		return "" // a history that cannot be written is not what was said
	}
	return string(text)
}

// spare moves to gone those of old that nothing is missing without: all of them at
// once where that is so, as it mostly is, else those of each half.
func (h *laneHistory) spare(old []int64) {
	before := h.gone
	h.gone = append(slices.Clone(before), old...)
	if h.replay() == h.says {
		return
	}
	h.gone = before
	if len(old) == 1 {
		return
	}
	h.spare(old[:len(old)/2])
	h.spare(old[len(old)/2:])
}

// deleteRuns deletes runs with everything that is of them alone.
func (t *tx) deleteRuns(pks []int64) error {
	for _, table := range []string{"staged_states", "events", "coverage", "run_streams"} {
		if _, err := t.db.ExecContext(t.ctx, "DELETE FROM "+table+" WHERE run_pk IN (?)", bun.List(pks)); err != nil {
			return err
		}
	}
	_, err := t.db.ExecContext(t.ctx, "DELETE FROM runs WHERE pk IN (?)", bun.List(pks))
	return err
}
