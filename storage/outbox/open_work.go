package outbox

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// openWork are the units and gaps that are not done, what needs somebody first.
const openWork = `SELECT 'unit' AS kind, stream, boundary, status, reason, retryable, attempt_count, last_attempt_us,
CASE reason WHEN '` + device.GapStreamRefused + `' THEN json_quote(last_error) ELSE '' END AS said,
CASE status WHEN 'dead' THEN 0 WHEN 'gap' THEN 1 WHEN 'backlog' THEN 2 ELSE 4 END AS place, created_us, id
FROM work_units WHERE status <> 'complete'
UNION ALL
SELECT 'gap', stream, '', status, reason, status <> 'terminal', attempt_count, last_attempt_us,
CASE reason WHEN '` + device.GapRefused + `' THEN last_error ELSE '' END,
CASE status WHEN 'terminal' THEN 1 ELSE 3 END, created_us, id
FROM gaps WHERE status IN ('pending', 'in_progress', 'terminal')`

// laneInfo reads what there is to tell of a lane besides its counts.
func laneInfo(ctx context.Context, q bun.IDB, lane *laneRow) (LaneInfo, error) {
	info := LaneInfo{SourceInstanceID: lane.SourceInstanceID, ConnectorID: lane.ConnectorID}
	var pins []tables.ConnectionRow
	err := q.NewSelect().Model(&pins).Column("pinned_sha256", "pinned_manifest", "accepted", "roots", "read_roots").
		OrderExpr("pinned_sha256 = '', name").Limit(1).Scan(ctx)
	if err != nil {
		return info, err
	}
	for _, p := range pins {
		info.PinnedSHA256, info.PinnedManifest = p.PinnedSHA256, []byte(p.PinnedManifest)
		if json.Unmarshal([]byte(p.Accepted), &info.Accepted) != nil {
			info.Accepted = nil // as a connection has it
		}
		if err := errors.Join(json.Unmarshal([]byte(p.Roots), &info.Roots), json.Unmarshal([]byte(p.ReadRoots), &info.ReadRoots)); err != nil {
			return info, err
		}
	}
	if info.Last, err = lastRun(ctx, q); err != nil {
		return info, err
	}
	if err := q.NewRaw("SELECT count(*) FROM ("+openWork+")").Scan(ctx, &info.OpenTotal); err != nil {
		return info, err
	}
	var rows []struct {
		Kind, Stream, Boundary, Status, Reason string
		Retryable                              bool
		AttemptCount                           int64
		LastAttemptUS                          int64 `bun:"last_attempt_us"`
		Said                                   string
	}
	err = q.NewRaw("SELECT kind, stream, boundary, status, reason, retryable, attempt_count, last_attempt_us, said FROM ("+openWork+
		") ORDER BY place, created_us, id LIMIT ?", MaxOpenWork).Scan(ctx, &rows)
	for _, r := range rows {
		var said string
		_ = json.Unmarshal([]byte(r.Said), &said) // "": nothing was said
		info.Open = append(info.Open, OpenWork{
			Said: said,
			Kind: r.Kind, Stream: r.Stream, Boundary: plainWord(r.Boundary), Status: r.Status, Reason: plainReason(r.Reason),
			Retryable: r.Retryable, Attempts: r.AttemptCount, LastAttemptAt: db.Time(r.LastAttemptUS),
		})
	}
	return info, err
}

// plainWord is a word as it is when it tells nothing of the device, else "": a
// boundary may be a file's path.
func plainWord(s string) string {
	if Word(s) != s {
		return ""
	}
	return s
}

func plainReason(s string) string {
	if s == "" {
		return ""
	}
	return Word(s)
}
