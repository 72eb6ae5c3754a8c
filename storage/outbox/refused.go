package outbox

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Refusal is a run that was refused before it began. It collected nothing, and
// its owner's host has to learn of it all the same: a lane that says nothing
// else would look well.
type Refusal struct {
	RunID        string // never used before
	Connector    string
	Version      string
	ModuleSHA256 string // "": there was no module
	Mode         string
	Streams      []string // that it was to collect; none when they are not known
	Error        tables.RunError
	StartedAt    time.Time
}

// RefuseRun queues the end of a run that was refused. The same refusal is queued
// once, until it is delivered; and none while another run goes on, whose end it
// would be taken for.
func (s *Store) RefuseRun(ctx context.Context, r Refusal) (queued bool, err error) {
	err = s.db.Alone(ctx, "refuse a run", func(t *db.Tx) error {
		queued = false
		row, payload, err := s.lane.refusedEnd(t, r)
		if err != nil {
			return err
		}
		if live, err := tables.LiveLease(t, "", nil); err != nil || live != nil {
			return err
		}
		waits, err := t.DB.NewSelect().Model((*Row)(nil)).Where(undelivered).Where("kind = ? AND says = ?", KindRunCommit, row.Says).Exists(t.Ctx)
		if err != nil || waits {
			return err
		}
		queued = true
		return Enqueue(t, row, payload)
	})
	return queued, err
}

// refusedEnd makes the end of a refused run, in the words of the protocol: no word
// of its error is a path.
func (l *lane) refusedEnd(t *db.Tx, r Refusal) (*Row, []byte, error) {
	e := r.Error
	e.Message, e.Hint = l.pathless(e.Message), l.pathless(e.Hint)
	text, err := plainJSON(e)
	if err != nil {
		return nil, nil, err
	}
	boundary, err := boundary(t)
	if err != nil {
		return nil, nil, err
	}
	commit := runCommit{
		Version: 1, Boundary: boundary, CommitID: device.OutboxID("commit", l.SourceInstanceID, []string{r.RunID}), RunID: r.RunID,
		ConnectorID: l.ConnectorID, SourceInstanceID: l.SourceInstanceID, StateDelta: map[string]json.RawMessage{}, Facts: []device.TerminalFact{},
		Outcome: device.Outcome{
			Status: tables.StatusFailed, Reason: string(abi.ReasonRunRefused), Mode: r.Mode, Connector: r.Connector, Version: r.Version,
			ModuleSHA256: r.ModuleSHA256, Streams: append([]string{}, r.Streams...), StartedAt: r.StartedAt, FinishedAt: t.Now, Error: text,
		},
	}
	if commit.Outcome.ModuleSHA256 == "" {
		commit.Outcome.ModuleSHA256 = tables.MissingModuleSHA256
	}
	payload, err := plainJSON(commit)
	if err != nil {
		return nil, nil, err
	}
	hash, err := device.Hash(payload)
	if err != nil {
		return nil, nil, err
	}
	return &Row{
		ID: device.OutboxID(KindRunCommit, l.SourceInstanceID, []string{commit.CommitID}), Kind: KindRunCommit, RunID: r.RunID, BodyHash: hash,
		Says: saysRefused + Word(e.Code),
	}, payload, nil
}

// lastRun reads how the newest run ended; nil when there was none. One that was
// refused is known by its end alone.
func lastRun(ctx context.Context, q bun.IDB) (*LastRun, error) {
	var runs []tables.RunRow
	if err := q.NewSelect().Model(&runs).Order("pk DESC").Limit(1).Scan(ctx); err != nil {
		return nil, err
	}
	var last *LastRun
	for i := range runs {
		r := &runs[i]
		last = &LastRun{RunID: r.RunID, Status: r.Status, Reason: r.Reason, FinishedAt: db.Time(max(r.FinishedUS, r.StartedUS))}
		if r.Error != "" {
			last.Code = Word(tables.FailureOf(r).Code)
		}
	}
	var refused []Row
	err := q.NewSelect().Model(&refused).Where("kind = ? AND says LIKE ?", KindRunCommit, saysRefused+"%").Order("seq DESC").Limit(1).Scan(ctx)
	if err != nil {
		return nil, err
	}
	for i := range refused {
		r := &refused[i]
		if when := db.Time(r.CreatedUS); last == nil || when.After(last.FinishedAt) {
			last = &LastRun{
				RunID: r.RunID, Status: tables.StatusFailed, Reason: string(abi.ReasonRunRefused), Code: strings.TrimPrefix(r.Says, saysRefused), FinishedAt: when,
			}
		}
	}
	return last, nil
}
