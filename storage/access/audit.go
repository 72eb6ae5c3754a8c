package access

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// AuditEvent says what an owner changed, or was refused. It holds no secret.
type AuditEvent struct {
	Seq       int64     `json:"seq"`
	At        time.Time `json:"at"`
	Actor     string    `json:"actor"`              // the face that the change came by
	ActorID   string    `json:"actor_id,omitempty"` // which session, token or device
	Address   string    `json:"address,omitempty"`  // "": this machine
	Operation string    `json:"operation"`
	Subject   string    `json:"subject"`
	Outcome   string    `json:"outcome"` // done, or a stable error code
}

type auditRow struct {
	bun.BaseModel `bun:"table:audit"`

	Seq       int64  `bun:"seq,pk,autoincrement"`
	AtUS      int64  `bun:"at_us"`
	Actor     string `bun:"actor"`
	ActorID   string `bun:"actor_id"`
	Address   string `bun:"address"`
	Operation string `bun:"operation"`
	Subject   string `bun:"subject"`
	Outcome   string `bun:"outcome"`
}

// AuditQuery chooses events. Its zero value chooses all of them.
type AuditQuery struct {
	Operation, Subject string    // "": any
	About              string    // the first word of the subject; "": any
	Actor, ActorID     string    // "": any
	Outcome            string    // "": any; AuditRefused: every one but AuditDone
	Since, Until       time.Time // from the first to before the second; zero: no bound
	Before             int64     // only events below this Seq; 0: from the newest on
	Limit              int64     // 0: all of them
}

// AuditDone is the outcome of a change that was made. AuditRefused chooses all others.
const (
	AuditDone    = "done"
	AuditRefused = "refused"
)

// LeastAuditEvents is how many of the newest events stay, however old they are: a clock
// that runs ahead for a while must not end the record.
const LeastAuditEvents = 1000

// Audit is the audit event of one operation, which may make several changes.
type Audit struct {
	event    AuditEvent
	keep     time.Duration
	recorded int64 // the event's Seq; 0: no change has recorded it
	written  int64 // its Seq in the transaction that goes on
}

type auditKey struct{}

// Recorded reports whether a change has recorded the event.
func (a *Audit) Recorded() bool { return a.recorded != 0 }

// WithAudit returns a context with which the first change of the store records e in the
// change's own transaction, so that neither is ever there without the other. A change by a
// session or a token that has ended meanwhile is refused with owner.signed_out. keep is as
// of RecordAudit. The changes of one operation are made one after the other.
func WithAudit(ctx context.Context, e AuditEvent, keep time.Duration) (context.Context, *Audit) {
	a := &Audit{event: e, keep: keep}
	return context.WithValue(db.First(ctx, a.record), auditKey{}, a), a
}

// addToSubject has the event that ctx records in this transaction say what only its change finds out. It does nothing
// where ctx records none.
func addToSubject(ctx context.Context, t *db.Tx, word string) error {
	a, ok := ctx.Value(auditKey{}).(*Audit)
	if !ok || a.Recorded() {
		return nil
	}
	_, err := t.DB.NewUpdate().Model((*auditRow)(nil)).Set("subject = subject || ?", " "+word).Where("seq = ?", a.written).Exec(t.Ctx)
	return err
}

// record records the event, once.
func (a *Audit) record(t *db.Tx) error {
	if a.Recorded() {
		return nil
	}
	if err := stillOpen(t, a.event.ActorID); err != nil {
		return err
	}
	seq, err := putAudit(t, a.event, a.keep)
	a.written = seq
	t.AfterCommit(func() { a.recorded = seq })
	return err
}

// stillOpen returns owner.signed_out where the session or token of that id has ended; "" is
// neither, and never ends.
func stillOpen(t *db.Tx, id string) error {
	if id == "" {
		return nil
	}
	var open bool
	err := t.DB.NewRaw("SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?) OR EXISTS (SELECT 1 FROM tokens WHERE id = ?)", id, id).Scan(t.Ctx, &open)
	if err == nil && !open {
		return abi.NewError(CodeSignedOut, "the session or token that asked has ended meanwhile", "sign in again, or make another token")
	}
	return err
}

// CorrectAudit gives the event that a recorded another outcome: a later change of the same
// operation failed.
func (s *Store) CorrectAudit(ctx context.Context, a *Audit, outcome string) error {
	return s.db.Alone(ctx, "correct the audit event", func(t *db.Tx) error {
		_, err := t.DB.NewUpdate().Model((*auditRow)(nil)).Set("outcome = ?", outcome).Where("seq = ?", a.recorded).Exec(t.Ctx)
		return err
	})
}

// RecordAudit adds an event, at the time of the store's clock, and forgets the events
// that are older than keep, but for the newest; 0 keeps all of them.
func (s *Store) RecordAudit(ctx context.Context, e AuditEvent, keep time.Duration) error {
	return s.db.Alone(ctx, "record the change", func(t *db.Tx) error { _, err := putAudit(t, e, keep); return err })
}

func putAudit(t *db.Tx, e AuditEvent, keep time.Duration) (seq int64, err error) {
	row := auditRow{
		AtUS: db.Micros(t.Now), Actor: e.Actor, ActorID: e.ActorID, Address: e.Address,
		Operation: e.Operation, Subject: e.Subject, Outcome: e.Outcome,
	}
	if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil || keep == 0 {
		return row.Seq, err
	}
	_, err = t.DB.NewDelete().Model((*auditRow)(nil)).Where("at_us < ? AND seq <= ?", db.Micros(t.Now.Add(-keep)), row.Seq-LeastAuditEvents).Exec(t.Ctx)
	return row.Seq, err
}

// AuditEvents returns the events that q chooses, the newest first.
func (s *Store) AuditEvents(ctx context.Context, q AuditQuery) ([]AuditEvent, error) {
	var rows []auditRow
	query := s.db.Read.NewSelect().Model(&rows).Order("seq DESC").Limit(q.Limit)
	if q.Operation != "" {
		query = query.Where("operation = ?", q.Operation)
	}
	if q.Subject != "" {
		query = query.Where("subject = ?", q.Subject)
	}
	if q.About != "" {
		query = query.Where("(subject = ? OR substr(subject, 1, ?) = ?)", q.About, utf8.RuneCountInString(q.About)+1, q.About+" ")
	}
	for _, equal := range [...]struct{ column, value string }{{"actor", q.Actor}, {"actor_id", q.ActorID}} {
		if equal.value != "" {
			query = query.Where("? = ?", bun.Ident(equal.column), equal.value)
		}
	}
	switch q.Outcome {
	case "":
	case AuditRefused:
		query = query.Where("outcome <> ?", AuditDone)
	default:
		query = query.Where("outcome = ?", q.Outcome)
	}
	if !q.Since.IsZero() {
		query = query.Where("at_us >= ?", db.Micros(q.Since))
	}
	if !q.Until.IsZero() {
		query = query.Where("at_us < ?", db.Micros(q.Until))
	}
	if q.Before > 0 {
		query = query.Where("seq < ?", q.Before)
	}
	if err := query.Scan(ctx); err != nil {
		return nil, s.db.Fail("read the audit events", err)
	}
	out := make([]AuditEvent, len(rows))
	for i, r := range rows {
		out[i] = AuditEvent{r.Seq, db.Time(r.AtUS), r.Actor, r.ActorID, r.Address, r.Operation, r.Subject, r.Outcome}
	}
	return out, nil
}
