package run

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// GapCount counts a connection's open gaps of one stream that are there for one
// reason.
type GapCount struct {
	Stream, Reason, Class string
	Count                 int64
	NextAttempt           time.Time // before it none of them is tried again; zero: at once
}

// GapCounts counts the open gaps of a connection's streams by stream and reason,
// in that order.
func (s *Store) GapCounts(ctx context.Context, connectionID string, streams []string) ([]GapCount, error) {
	if len(streams) == 0 {
		return nil, nil
	}
	var rows []struct {
		Stream, Reason, Class string
		N, NextUS             int64
	}
	err := s.db.Read.NewSelect().Model((*tables.GapRow)(nil)).ColumnExpr("stream, reason, class, count(*) AS n, min(next_attempt_us) AS next_us").
		Where("connection_id = ? AND status IN (?, ?) AND stream IN (?)", connectionID, tables.GapPending, tables.GapInProgress, bun.List(streams)).
		GroupExpr("stream, reason, class").OrderExpr("stream, reason, class").Scan(ctx, &rows)
	if err != nil {
		return nil, s.db.Fail("count the open gaps", err)
	}
	out := make([]GapCount, len(rows))
	for i, r := range rows {
		out[i] = GapCount{r.Stream, r.Reason, r.Class, r.N, db.Time(r.NextUS)}
	}
	return out, nil
}
