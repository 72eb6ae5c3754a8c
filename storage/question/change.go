package question

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// OpenQuestion keeps a question as open. It is durable when OpenQuestion returns. A run that holds its
// connection's lease no more asks nothing: the error is run.fenced.
func (s *Store) OpenQuestion(ctx context.Context, q Question) error {
	return s.db.Alone(ctx, "keep the question", func(t *db.Tx) error {
		holds, err := t.DB.NewSelect().Model((*tables.LeaseRow)(nil)).Where("connection_id = ? AND run_id = ?", q.ConnectionID, q.RunID).Exists(t.Ctx)
		if err != nil {
			return err
		}
		if !holds {
			return abi.NewError(abi.CodeFenced, "this run lost its lease", "nothing to do: the newer run asks by itself").WithDetail("run " + q.RunID)
		}
		r := row{
			ID: q.ID, ConnectionID: q.ConnectionID, RunID: q.RunID, Kind: q.Kind, Stream: q.Stream, Message: q.Message, Schema: string(q.Schema),
			State: Open, AskedUS: db.Micros(t.Now),
		}
		if !q.Deadline.IsZero() {
			r.DeadlineUS = db.Micros(q.Deadline)
		}
		_, err = t.DB.NewInsert().Model(&r).Exec(t.Ctx)
		return err
	})
}

// SetQuestionDeadline keeps until when an open question waits by now; zero: as long as its run.
func (s *Store) SetQuestionDeadline(ctx context.Context, id string, deadline time.Time) error {
	return s.db.Alone(ctx, "keep the question's time", func(t *db.Tx) error {
		r := row{ID: id}
		if !deadline.IsZero() {
			r.DeadlineUS = db.Micros(deadline)
		}
		_, err := t.DB.NewUpdate().Model(&r).Column("deadline_us").WherePK().Where("state = ?", Open).Exec(t.Ctx)
		return err
	})
}

// AnswerQuestion closes an open question by the face that answers it: sealed is the answer, nil
// where its owner declines. The first one counts; any other gets questions.answered_already,
// or questions.closed where nobody waits any more. alive is as in Questions.
func (s *Store) AnswerQuestion(ctx context.Context, id, by string, sealed []byte, alive func(holder string) bool) error {
	return s.db.Alone(ctx, "answer the question", func(t *db.Tx) error {
		f, err := find(t.Ctx, t.DB, id)
		if err != nil {
			return err
		}
		switch {
		case f.State != Open:
			return f.closed()
		case !f.waits(t.Now, alive):
			return lost()
		}
		state := Answered
		if sealed == nil {
			state = Declined
		}
		r := row{ID: id, State: state, Answer: sealed, ClosedBy: by, ClosedUS: db.Micros(t.Now)}
		_, err = t.DB.NewUpdate().Model(&r).Column("state", "answer", "closed_by", "closed_us").WherePK().Exec(t.Ctx)
		return err
	})
}

// TakeAnswer ends the wait of the run that asks. It returns the question's last state, and
// the sealed answer, which is deleted with it. A question that is open becomes otherwise.
func (s *Store) TakeAnswer(ctx context.Context, id, otherwise string) (state string, sealed []byte, err error) {
	err = s.db.Alone(ctx, "take the answer", func(t *db.Tx) error {
		r, err := stateIn(t, id)
		if err != nil {
			return err
		}
		if r.State == Open {
			r.State, r.ClosedUS = otherwise, db.Micros(t.Now)
		}
		state, sealed = r.State, r.Answer
		r.Answer, t.Erased = nil, sealed != nil
		_, err = t.DB.NewUpdate().Model(r).Column("state", "answer", "closed_us").WherePK().Exec(t.Ctx)
		return err
	})
	return state, sealed, err
}

// Lose closes as lost what a run of that id has asked and has no answer to: it has ended.
func Lose(t *db.Tx, runID string) error {
	res, err := t.DB.NewUpdate().Model((*row)(nil)).Set("state = ?, answer = NULL, closed_us = ?", Lost, db.Micros(t.Now)).
		Where("run_id = ? AND (state = ? OR answer IS NOT NULL)", runID, Open).Exec(t.Ctx)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	t.Erased = t.Erased || n > 0
	return err
}

// LoseQuestions closes as lost each question whose run is gone, and returns how many there
// were. alive is as in Questions.
func (s *Store) LoseQuestions(ctx context.Context, alive func(holder string) bool) (gone int, err error) {
	err = s.db.Alone(ctx, "close the questions of runs that are gone", func(t *db.Tx) error {
		var rows []found
		if err := t.DB.NewRaw(from+"WHERE q.state = ? OR q.answer IS NOT NULL", Open).Scan(t.Ctx, &rows); err != nil {
			return err
		}
		for i := range rows {
			if rows[i].waits(t.Now, alive) {
				continue
			}
			if err := Lose(t, rows[i].RunID); err != nil {
				return err
			}
			gone++
		}
		return nil
	})
	return gone, err
}
