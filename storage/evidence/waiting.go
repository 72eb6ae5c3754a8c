package evidence

import (
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// The waiting work of a connection, and what it is to run with: gaps, pressure and the
// schedule.

func (g Gatherer) gaps(id string, f *stored.Facts) error {
	var rows []struct {
		Stream, Status, Reason, Class string
		N                             int64
	}
	err := g.db.NewRaw("SELECT stream, status, reason, class, count(*) AS n FROM gaps WHERE connection_id = ? GROUP BY stream, status, reason, class", id).Scan(g.ctx, &rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		countGap(f, &tables.GapRow{Stream: r.Stream, Status: r.Status, Reason: r.Reason, Class: r.Class}, r.N)
	}
	var pruned int64
	if err := g.db.QueryRowContext(g.ctx, "SELECT recovered_pruned FROM connections WHERE id = ?", id).Scan(&pruned); err != nil {
		return err
	}
	f.Gaps.Recovered += pruned
	return g.floors(id, f)
}

// floors asks what the open gaps under source pressure have in common.
func (g Gatherer) floors(id string, f *stored.Facts) error {
	f.Gaps.MaxAttempts, f.Gaps.NextAttemptUS = 0, 0
	for _, reason := range abi.SourcePressure {
		const of = " FROM gaps WHERE connection_id = ? AND reason = ? AND status IN ('pending', 'in_progress')"
		var attempts, floor sql.NullInt64
		if err := g.db.QueryRowContext(g.ctx, "SELECT max(attempt_count)"+of, id, string(reason)).Scan(&attempts); err != nil {
			return err
		}
		err := g.db.QueryRowContext(g.ctx, "SELECT min(next_attempt_us)"+of+" AND next_attempt_us > 0", id, string(reason)).Scan(&floor)
		if err != nil {
			return err
		}
		f.Gaps.MaxAttempts = max(f.Gaps.MaxAttempts, attempts.Int64)
		if at := floor.Int64; at > 0 && (f.Gaps.NextAttemptUS == 0 || at < f.Gaps.NextAttemptUS) {
			f.Gaps.NextAttemptUS = at
		}
	}
	return nil
}

func (g Gatherer) pressure(id string, f *stored.Facts) error {
	var row tables.PressureRow
	err := g.db.NewSelect().Model(&row).Where("connection_id = ?", id).Scan(g.ctx)
	f.Pressure = nil
	switch {
	case err == nil:
		f.Pressure = &stored.Pressure{Reason: health.Word(row.Reason), AtUS: row.AtUS, NextAttemptUS: row.NextAttemptUS}
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	return g.pause(id, f)
}

// pause keeps a pause that a run learned and that is longer than what a run ended with.
func (g Gatherer) pause(id string, f *stored.Facts) error {
	var row tables.PauseRow
	err := g.db.NewSelect().Model(&row).ExcludeColumn("learned").Where("connection_id = ?", id).Scan(g.ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil && row.UntilUS > 0 && (f.Pressure == nil || row.UntilUS > f.Pressure.NextAttemptUS) {
		f.Pressure = &stored.Pressure{Reason: health.Word(row.Reason), AtUS: row.AtUS, NextAttemptUS: row.UntilUS}
	}
	return err
}

// schedule keeps whether the connection runs by itself, where its owner has said
// anything about it. One that is to be run by hand has no schedule.
func (g Gatherer) schedule(id string, f *stored.Facts) error {
	var row tables.ScheduleRow
	err := g.db.NewSelect().Model(&row).Where("connection_id = ?", id).Scan(g.ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	manual := row.Mode == "manual" || row.Mode == "" && f.Manifest != nil && f.Manifest.Refresh.ManualOnly()
	if err == nil && !manual {
		f.Schedule = &health.Schedule{Enabled: !row.Paused}
	}
	return err
}

// hold keeps why the scheduler does not run the connection.
func (g Gatherer) hold(id string, f *stored.Facts) error {
	row, err := g.Holding(id)
	if row != nil {
		f.Hold = row.Hold()
	}
	return err
}

// NewestRun is the connection's newest run, by its pk; 0: there is none.
func (g Gatherer) NewestRun(id string) (pk int64, err error) {
	err = g.db.QueryRowContext(g.ctx, "SELECT coalesce(max(pk), 0) FROM runs WHERE connection_id = ?", id).Scan(&pk)
	return pk, err
}

// The types of a run's events when it asks its owner, and when that was answered.
const (
	EventAsks     = "run.interaction_required"
	EventAnswered = "run.interaction_completed"
)

// EventBrowser is the type of a run's events about its browser: that it waits for one, and that
// it has it. Their data is a stored.Surface.
const EventBrowser = "run.browser_lease"

// addSurface keeps where the running run stands with its browser.
func (g Gatherer) addSurface(f *stored.Facts) error {
	if !f.Running() {
		return nil
	}
	var last string
	err := g.db.QueryRowContext(g.ctx, `SELECT e.data FROM events e JOIN runs r ON r.pk = e.run_pk
WHERE r.run_id = ? AND e.type = ? ORDER BY e.seq DESC LIMIT 1`, f.Latest.ID, EventBrowser).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		f.Surface = surfaceOf([]byte(last))
	}
	return err
}

// surfaceOf reads the data of such an event.
func surfaceOf(data []byte) *stored.Surface {
	s := new(stored.Surface)
	if json.Unmarshal(data, s) != nil {
		return nil
	}
	return s
}

// addOpenAttention keeps whether the running run waits for its owner.
func (g Gatherer) addOpenAttention(f *stored.Facts) error {
	if !f.Running() {
		return nil
	}
	var last, data string
	err := g.db.QueryRowContext(g.ctx, `SELECT e.type, e.data FROM events e JOIN runs r ON r.pk = e.run_pk
WHERE r.run_id = ? AND e.type IN (?, ?) ORDER BY e.seq DESC LIMIT 1`, f.Latest.ID, EventAsks, EventAnswered).Scan(&last, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	f.Asking, f.AskingUntilUS = askedFor(last, []byte(data))
	return err
}

// askedFor returns the kind of the question that waits behind an event of either type, and until
// when, 0 for as long as its run; "": none does.
func askedFor(eventType string, data []byte) (kind health.Word, untilUS int64) {
	if eventType != EventAsks {
		return "", 0
	}
	var question struct {
		Kind  health.Word    `json:"kind"`
		Until health.Instant `json:"expires_at"`
	}
	if json.Unmarshal(data, &question) != nil || question.Kind == "" {
		return "interaction", 0
	}
	if !question.Until.IsZero() {
		untilUS = question.Until.UnixMicro()
	}
	return question.Kind, untilUS
}

// Holding is the dispatch that holds the connection; nil: none does. A dispatch that waits
// for its owner stands until a run begins or the owner acts, whatever was kept since; else
// the newest dispatch that holds anything counts. A dispatch from before the newest run no
// longer counts.
func (g Gatherer) Holding(id string) (*tables.DispatchRow, error) {
	run, err := g.NewestRun(id)
	if err != nil {
		return nil, err
	}
	var rows []tables.DispatchRow
	err = g.db.NewSelect().Model(&rows).Where("connection_id = ? AND after_run = ? AND holds <> ''", id, run).
		OrderExpr("holds = ? DESC, pk DESC", string(stored.HeldForOwner)).Limit(1).Scan(g.ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// rejected reads which streams have rejected records that no run has delivered.
func (g Gatherer) rejected(id string, f *stored.Facts) error {
	f.RejectedRecords = nil
	return g.db.NewRaw(`SELECT name AS stream, rejected AS listed, rejected_unlisted AS unlisted FROM streams
WHERE connection_id = ? AND removed = 0 AND (rejected > 0 OR rejected_unlisted > 0) ORDER BY name`, id).Scan(g.ctx, &f.RejectedRecords)
}
