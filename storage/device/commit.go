package device

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/record"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// CommitDeviceRun ends a run of a device, as Finish ends one of the host: its
// outcome, the cursors that move with it and the evidence, in one transaction or
// not at all. The run is made when nothing else of it was delivered. The same
// commit again returns the same and writes nothing.
//
// The run ended when the device says, but never later than now: what was
// collected is no younger than its device's clock has it, and a clock that is
// ahead makes nothing fresh.
func (s *Store) CommitDeviceRun(ctx context.Context, src *SourceInstance, c *device.RunCommit, envelopeHash string) (terminalEventID string, replayed bool, err error) {
	o, err := OutcomeOf(c, envelopeHash)
	if err != nil {
		return "", false, err
	}
	err = s.db.Alone(ctx, "end the device's run", func(t *db.Tx) error {
		feed, err := feed(t, src)
		if err != nil {
			return err
		}
		row := deviceCommitRow{SourceID: feed.ID, CommitID: c.CommitID, RunID: c.RunID, EnvelopeSHA256: envelopeHash, AtUS: db.Micros(t.Now)}
		if replayed, err = committedBefore(t, &row); err != nil || replayed {
			terminalEventID = row.EventID
			return err
		}
		runID, err := endingRun(t, feed, c.RunID)
		if err != nil {
			return err
		}
		w, err := s.deviceRun(t, feed, runID)
		if err != nil {
			return err
		}
		if err := endDeviceRun(t, feed, w, c, o); err != nil {
			return err
		}
		terminalEventID = fmt.Sprintf("%s.%d", w.RunID(), w.LastEvent())
		row.EventID = terminalEventID
		if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
			return err
		}
		if err := forgetDeliveries(t, feed, w.RunID()); err != nil {
			return err
		}
		if err := clearRefusal(t, feed, nil); err != nil {
			return err
		}
		if o.Status == tables.StatusSucceeded {
			if err := record.DropErasedBlobs(t, feed.ConnectionID); err != nil {
				return err
			}
		}
		return evidence.StoresMoved(t, feed.ConnectionID)
	})
	return terminalEventID, replayed, err
}

// forgetDeliveries forgets which deliveries were taken of the source's earlier runs. A device
// delivers in order, so all its deliveries come before the end of this run; one that is
// repeated names a run that has ended.
func forgetDeliveries(t *db.Tx, src *tables.SourceJoined, runID string) error {
	_, err := t.DB.NewDelete().Model((*deviceBatchRow)(nil)).Where("device_id = ? AND source_id = ? AND run_id <> ?", src.DeviceID, src.ID, runID).Exec(t.Ctx)
	return err
}

func committedBefore(t *db.Tx, row *deviceCommitRow) (bool, error) {
	before := deviceCommitRow{SourceID: row.SourceID, CommitID: row.CommitID}
	err := t.DB.NewSelect().Model(&before).WherePK().Scan(t.Ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		ended, err := t.DB.NewSelect().Model((*deviceCommitRow)(nil)).Where("source_id = ? AND run_id = ?", row.SourceID, row.RunID).Exists(t.Ctx)
		if err == nil && ended {
			err = runConflict("another end of it was taken")
		}
		return false, err
	case err != nil:
		return false, err
	case before.EnvelopeSHA256 != row.EnvelopeSHA256, before.RunID != row.RunID:
		return false, runConflict("another end of a run was taken under this commit_id")
	}
	row.EventID = before.EventID
	return true, nil
}

// OutcomeOf reads a commit's outcome, in the words of the host's own runs.
func OutcomeOf(c *device.RunCommit, envelopeHash string) (run.Outcome, error) {
	o := run.Outcome{Status: c.Outcome.Status, Reason: c.Outcome.Reason, Narrowed: c.Outcome.Narrowed, KnownGaps: c.Outcome.KnownGaps, EndedAt: c.Outcome.FinishedAt}
	if !device.IsSum256(envelopeHash) {
		return o, badRequest("envelope_hash", "a SHA-256")
	}
	if err := checkName("commit_id", c.CommitID, "run_id", c.RunID); err != nil {
		return o, err
	}
	if err := checkState(c.StateDelta); err != nil {
		return o, err
	}
	last := lastEvents[o.Status]
	switch {
	case last == "":
		return o, badRequest("status", "succeeded, failed or cancelled")
	case o.Reason != "" && !isName(o.Reason):
		return o, badRequest("reason", "a name")
	case o.Status != tables.StatusSucceeded && len(c.StateDelta) > 0:
		return o, badRequest("state_delta", "empty, for a run that did not succeed")
	case c.Outcome.Mode != abi.ModeIncremental && c.Outcome.Mode != abi.ModeFullRefresh: // a lane has no other bookmark
		return o, badRequest("collection_mode", "a mode")
	case c.Outcome.FinishedAt.IsZero():
		return o, badRequest("finished_at", "a time")
	case len(c.Outcome.Streams) > maxDeviceStreams, len(c.Outcome.Coverage) > maxDeviceStreams:
		return o, badRequest("streams", "so few")
	}
	if present(c.Outcome.Error) && json.Unmarshal(c.Outcome.Error, &o.Error) != nil {
		return o, badRequest("error", "a run's error")
	}
	if present(c.Outcome.Withheld) && json.Unmarshal(c.Outcome.Withheld, &o.Withheld) != nil {
		return o, badRequest("withheld", "a list of streams")
	}
	if e := o.Error; e != nil {
		e.Message, e.Hint = printable(e.Message, maxDeviceText), printable(e.Hint, maxDeviceText)
		e.Code, e.RecoveryHint = labelOf(e.Code), labelOf(e.RecoveryHint)
	}
	o.Withheld = slices.DeleteFunc(o.Withheld, func(h tables.Withheld) bool { return checkName("stream", h.Stream, "reason", h.Reason) != nil })
	if len(o.Withheld) > maxDeviceStreams {
		return o, badRequest("withheld", "so few")
	}
	if !present(o.KnownGaps) {
		o.KnownGaps = nil
	}
	for _, stream := range slices.Sorted(maps.Keys(c.StateDelta)) {
		o.Checkpoints = append(o.Checkpoints, run.StateCommit{Stream: stream, Cursor: c.StateDelta[stream]})
		o.Events = append(o.Events, run.Event{Type: eventAdvanced, Stream: stream})
	}
	o.Events = append(o.Events, run.Event{Type: last})
	return o, nil
}

func present(text json.RawMessage) bool { return len(text) > 0 && string(text) != "null" }

// endDeviceRun writes what is known of the run only now, and ends it.
func endDeviceRun(t *db.Tx, src *tables.SourceJoined, w *run.Writer, c *device.RunCommit, o run.Outcome) error {
	declared, err := pinnedStreams(t, w.To.ConnectionID)
	if err != nil && abi.CodeOf(err) != device.CodeManifestMissing {
		return err // without a manifest nothing was collected
	}
	if err := withDelivered(t, w, &c.Outcome); err != nil {
		return err
	}
	streams := []string{}
	for _, name := range c.Outcome.Streams {
		if declared[name] && !slices.Contains(streams, name) {
			streams = append(streams, name)
		}
	}
	if err := joinStreams(t, w, streams); err != nil {
		return err
	}
	if err := describeRun(t, w, &c.Outcome, streams, o.EndedAt); err != nil {
		return err
	}
	if err := deviceCoverage(t, w, c.Outcome.Coverage, declared); err != nil {
		return err
	}
	if o.Status == tables.StatusSucceeded && !o.Narrowed {
		if err := closeEarlierGaps(t, src, streams); err != nil {
			return err
		}
	}
	if o.KnownGaps, err = withRejected(t, w, gapsOf(o.KnownGaps, declared)); err != nil {
		return err
	}
	row, err := run.OutcomeRow(o)
	if err != nil {
		return err
	}
	return run.Finish(t, w, o, row)
}

// describeRun fills in the run's row.
func describeRun(t *db.Tx, w *run.Writer, o *device.Outcome, streams []string, ended time.Time) error {
	row := tables.RunRow{PK: w.To.RunPK}
	if err := t.DB.NewSelect().Model(&row).WherePK().Scan(t.Ctx); err != nil {
		return err
	}
	text, err := tables.EncodeJSON(streams)
	if err != nil {
		return err
	}
	row.Streams, row.Version, row.Mode = text, labelOf(o.Version), o.Mode
	if device.IsSum256(o.ModuleSHA256) && o.ModuleSHA256 != tables.MissingModuleSHA256 {
		row.ModuleSHA256 = o.ModuleSHA256
	}
	// It began on the device before anything of it came in.
	end, _ := tables.Earlier(ended, t.Now)
	row.StartedUS = min(row.StartedUS, end)
	if us, ok := tables.Earlier(o.StartedAt, t.Now); ok {
		row.StartedUS = min(row.StartedUS, us)
	}
	_, err = t.DB.NewUpdate().Model(&row).WherePK().Column("streams", "version", "mode", "module_sha256", "started_us").Exec(t.Ctx)
	return err
}

// deviceCoverage keeps what the run accounted for.
func deviceCoverage(t *db.Tx, w *run.Writer, lanes []device.Coverage, declared map[string]bool) error {
	for _, c := range lanes {
		if !declared[c.Stream] || !declared[c.StateStream] {
			continue
		}
		row := tables.CoverageRow{
			RunPK: w.To.RunPK, Stream: c.Stream, StateStream: c.StateStream, Required: max(c.Required, 0), Hydrated: max(c.Hydrated, 0),
			Gaps: max(c.Gaps, 0), Skipped: max(c.Skipped, 0), Considered: nonNegative(c.Considered), Covered: nonNegative(c.Covered), DeclaredUS: db.Micros(t.Now),
		}
		if _, err := t.DB.NewInsert().Model(&row).On("CONFLICT DO NOTHING").Exec(t.Ctx); err != nil {
			return err
		}
	}
	return nil
}

// nonNegative returns the count, nil for a negative one.
func nonNegative(n *int64) *int64 {
	if n == nil || *n < 0 {
		return nil
	}
	return n
}

// gapsOf leaves out of a run's known gaps those of streams that the manifest does not have. A
// text that is not a list of gaps stays as it is, and is unreadable.
func gapsOf(text []byte, declared map[string]bool) []byte {
	var list []json.RawMessage
	if len(text) == 0 || json.Unmarshal(text, &list) != nil {
		return text
	}
	kept := []json.RawMessage{}
	for _, g := range list {
		var of struct {
			Stream string `json:"stream"`
		}
		if json.Unmarshal(g, &of) != nil {
			return text
		}
		if of.Stream == "" || declared[of.Stream] {
			kept = append(kept, g)
		}
	}
	out, err := json.Marshal(kept)
	if err != nil {
		return text
	}
	return out
}
