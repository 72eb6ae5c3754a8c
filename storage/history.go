package storage

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"

	"encoding/json"
	"slices"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/health"
)

// runHistory is what the runs of a connection say, and which of them are not needed
// for it.
type runHistory struct {
	manifest *health.StoredManifest // the accepted one: which streams there are to collect
	rows     []runRow
	says     string
	gone     []int64 // ascending
}

// readHistory reads the runs up to a pk without what their replay does not look at: of a
// connector that says much that is most of them.
func readHistory(t *db.Tx, connectionID string, to int64) (*runHistory, error) {
	h := &runHistory{}
	for after := int64(0); ; {
		var page []runRow
		err := t.DB.NewSelect().Model(&page).ExcludeColumn("result").Where("connection_id = ? AND pk > ? AND pk <= ?", connectionID, after, to).
			Order("pk").Limit(eachPage).Scan(t.Ctx)
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
func (h *runHistory) replay() string {
	f, settled, gone := &health.Stored{Manifest: h.manifest}, int64(0), h.gone
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
func (h *runHistory) spare(old []int64) {
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
func deleteRuns(t *db.Tx, pks []int64) error {
	for _, table := range []string{"staged_states", "events", "coverage", "run_streams"} {
		if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM "+table+" WHERE run_pk IN (?)", bun.List(pks)); err != nil {
			return err
		}
	}
	_, err := t.DB.ExecContext(t.Ctx, "DELETE FROM runs WHERE pk IN (?)", bun.List(pks))
	return err
}
