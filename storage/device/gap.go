package device

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// mostBackoff bounds how far off a device can put the next attempt.
const mostBackoff = 30 * 24 * time.Hour

// PutDeviceGap keeps a gap, one for each stream, parent and boundary; a second
// sight of it in another run is another attempt. One that is not retryable is
// terminal. A gap of a stream that the manifest does not have is answered as
// terminal and not kept: nobody ever fills it.
func (s *Store) PutDeviceGap(ctx context.Context, src *SourceInstance, g device.Gap) (*run.Gap, error) {
	if err := checkGap(g.Reason, g.Boundary, g.Class, g.Stream, g.ParentStream, g.FirstSeenRunID, g.LastRunID); err != nil {
		return nil, err
	}
	var out run.Gap
	err := s.db.Alone(ctx, "keep the gap", func(t *db.Tx) error {
		feed, err := feed(t, src)
		if err != nil {
			return err
		}
		row := tables.GapRow{
			ID: run.GapID(feed.ConnectionID, g.Stream, g.ParentStream, g.Boundary), ConnectionID: feed.ConnectionID,
			Stream: g.Stream, ParentStream: g.ParentStream, RecordKey: g.Boundary, Reason: g.Reason, Class: g.Class, Status: tables.GapTerminal,
			LastAttemptUS: db.Micros(t.Now), DiscoveredRunID: g.FirstSeenRunID, LastRunID: g.LastRunID, CreatedUS: db.Micros(t.Now),
		}
		if us, ok := tables.Earlier(g.FirstSeenAt, t.Now); ok {
			row.CreatedUS = us
		}
		streams, err := pinnedStreams(t, feed.ConnectionID)
		switch {
		case err != nil:
			return err
		case g.Stream != "" && !streams[g.Stream]:
			out = run.GapOf(&row)
			return nil
		case g.Retryable:
			row.Status = tables.GapPending
			if wait := time.Duration(min(max(g.BackoffMS, 0), mostBackoff.Milliseconds())) * time.Millisecond; wait > 0 {
				row.NextAttemptUS = db.Micros(t.Now.Add(wait))
			}
		}
		before, err := knownGap(t, &row)
		if err != nil {
			return err
		}
		if before != nil {
			row.CreatedUS, row.DiscoveredRunID, row.AttemptCount = before.CreatedUS, before.DiscoveredRunID, before.AttemptCount
			if before.LastRunID != row.LastRunID {
				row.AttemptCount++
			}
		}
		out = run.GapOf(&row)
		return writeGap(t, before, &row)
	})
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// RecoverDeviceGap marks a gap as recovered. One that is not known is so already.
func (s *Store) RecoverDeviceGap(ctx context.Context, src *SourceInstance, g device.GapRecovered) (*run.Gap, error) {
	if err := checkGap(g.Reason, g.Boundary, "", g.Stream, g.ParentStream, g.RecoveredRunID); err != nil {
		return nil, err
	}
	var out run.Gap
	err := s.db.Alone(ctx, "keep the recovered gap", func(t *db.Tx) error {
		feed, err := feed(t, src)
		if err != nil {
			return err
		}
		row := &tables.GapRow{ConnectionID: feed.ConnectionID, Stream: g.Stream, ParentStream: g.ParentStream, RecordKey: g.Boundary}
		before, err := knownGap(t, row)
		switch {
		case err != nil:
			return err
		case before == nil:
			row.ID, row.Status, row.Reason = run.GapID(feed.ConnectionID, g.Stream, g.ParentStream, g.Boundary), tables.GapRecovered, g.Reason
			out = run.GapOf(row)
			return nil
		case before.Status == tables.GapRecovered:
			out = run.GapOf(before)
			return nil
		}
		*row = *before
		row.Status, row.RecoveredRunID, row.LastAttemptUS, row.NextAttemptUS = tables.GapRecovered, g.RecoveredRunID, db.Micros(t.Now), 0
		if before.LastRunID != g.RecoveredRunID {
			row.AttemptCount++
		}
		row.LastRunID = g.RecoveredRunID
		out = run.GapOf(row)
		return writeGap(t, before, row)
	})
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// How long a gap's boundary, which may be a record's key, and its class may be.
const (
	mostBoundary = 16 << 10
	mostClass    = 1 << 10
)

// checkGap checks a gap's words; all but the reason may be missing. The boundary
// and the class are the connector's own: what its records may hold, they may.
func checkGap(reason, boundary, class string, optional ...string) error {
	if err := checkName("reason", reason); err != nil {
		return err
	}
	if !isText(boundary, mostBoundary) || !isText(class, mostClass) {
		return badRequest("the gap", "one whose boundary and class are text, of bounded length and without NUL")
	}
	for _, s := range optional {
		if s != "" && !isName(s) {
			return badRequest("the gap", "of short names")
		}
	}
	return nil
}

// isText reports whether s is text of at most n bytes that a column can hold.
func isText(s string, n int) bool {
	return len(s) <= n && utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}

// closeEarlierGaps ends the open gaps of a run's streams that were last heard of before its
// source was enrolled: they tell what the device before could not collect, and no device
// finds that again.
func closeEarlierGaps(t *db.Tx, src *tables.SourceJoined, streams []string) error {
	var open []tables.GapRow
	err := t.DB.NewSelect().Model(&open).
		Where("connection_id = ? AND status IN (?, ?) AND last_attempt_us < ?", src.ConnectionID, tables.GapPending, tables.GapInProgress, src.CreatedUS).Scan(t.Ctx)
	if err != nil {
		return err
	}
	for i := range open {
		if open[i].Stream != "" && !slices.Contains(streams, open[i].Stream) {
			continue
		}
		after := open[i]
		after.Status, after.NextAttemptUS = tables.GapTerminal, 0
		if err := writeGap(t, &open[i], &after); err != nil {
			return err
		}
	}
	return nil
}

// knownGap reads the gap that is known for the same part of the source; nil when
// none is.
func knownGap(t *db.Tx, of *tables.GapRow) (*tables.GapRow, error) {
	row := new(tables.GapRow)
	err := t.DB.NewSelect().Model(row).
		Where("connection_id = ? AND stream = ? AND parent_stream = ? AND record_key = ?", of.ConnectionID, of.Stream, of.ParentStream, of.RecordKey).Scan(t.Ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return row, err
}

// writeGap writes a gap as it is after, and counts what changed.
func writeGap(t *db.Tx, before, after *tables.GapRow) (err error) {
	if before == nil {
		_, err = t.DB.NewInsert().Model(after).Exec(t.Ctx)
	} else {
		after.ID = before.ID
		_, err = t.DB.NewUpdate().Model(after).WherePK().Exec(t.Ctx)
	}
	if err != nil {
		return err
	}
	return evidence.GapMoved(t, before, after)
}
