package run

import (
	"encoding/json"
	"slices"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// History is what the runs of a connection say, and which of them are not needed
// for it.
type History struct {
	manifest *stored.Manifest // the accepted one: which streams there are to collect
	Rows     []tables.RunRow
	Says     string
	Gone     []int64 // ascending
}

// ReadHistory reads the runs up to a pk without what their replay does not look at: of a
// connector that says much that is most of them.
func ReadHistory(t *db.Tx, connectionID string, to int64) (*History, error) {
	h := &History{}
	for after := int64(0); ; {
		var page []tables.RunRow
		err := t.DB.NewSelect().Model(&page).ExcludeColumn("result").Where("connection_id = ? AND pk > ? AND pk <= ?", connectionID, after, to).
			Order("pk").Limit(tables.EachPage).Scan(t.Ctx)
		if err != nil {
			return nil, err
		}
		for i := range page {
			page[i].KnownGaps = bareGaps(page[i].KnownGaps)
		}
		h.Rows = append(h.Rows, page...)
		if len(page) < tables.EachPage {
			return h, nil
		}
		after = page[len(page)-1].PK
	}
}

// bareGaps leaves the messages and the diagnostics out of a run's known gaps. A text that
// cannot be read stays unreadable.
func bareGaps(text string) string {
	if text == "" {
		return ""
	}
	var list []tables.Uncollected
	if _, ok := evidence.KnownGaps(&tables.RunRow{KnownGaps: text}); !ok || json.Unmarshal([]byte(text), &list) != nil {
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

// Replay returns what the runs say that are not gone, as it is kept.
func (h *History) Replay() string {
	f, settled, gone := &stored.Facts{Manifest: h.manifest}, int64(0), h.Gone
	for i := range h.Rows {
		r := &h.Rows[i]
		switch {
		case len(gone) > 0 && gone[0] == r.PK:
			gone = gone[1:]
			continue
		case r.Status == tables.StatusRunning:
			evidence.BeginRun(f, r)
			continue
		}
		evidence.EndRun(f, r)
		if evidence.Settles(r) {
			settled = r.PK
		}
	}
	text, err := json.Marshal(struct {
		Facts   *stored.Facts `json:"facts"`
		Settled int64         `json:"settled"`
	}{f, settled})
	if err != nil {
		return "" // a history that cannot be written is not what was said
	}
	return string(text)
}

// Spare moves to gone those of old that nothing is missing without: all of them at
// once where that is so, as it mostly is, else those of each half.
func (h *History) Spare(old []int64) {
	before := h.Gone
	h.Gone = append(slices.Clone(before), old...)
	if h.Replay() == h.Says {
		return
	}
	h.Gone = before
	if len(old) == 1 {
		return
	}
	h.Spare(old[:len(old)/2])
	h.Spare(old[len(old)/2:])
}

// DeleteRuns deletes runs with all rows that belong to them alone.
func DeleteRuns(t *db.Tx, pks []int64) error {
	for _, table := range []string{"staged_states", "events", "coverage", "run_streams"} {
		if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM "+table+" WHERE run_pk IN (?)", bun.List(pks)); err != nil {
			return err
		}
	}
	_, err := t.DB.ExecContext(t.Ctx, "DELETE FROM runs WHERE pk IN (?)", bun.List(pks))
	return err
}
