package question

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Query chooses questions. Its zero value chooses all of them.
type Query struct {
	Open         bool   // only those that wait for an answer
	ConnectionID string // "": any
	Before       string // only questions with a lower id; "": from the newest on
	Limit        int    // 0: all of them
}

// Questions returns the questions that q chooses, the newest first. alive says whether the
// holder of a lease still lives; nil: every one does. One that is open and whose run is
// gone counts as lost.
func (s *Store) Questions(ctx context.Context, q Query, alive func(holder string) bool) ([]Question, error) {
	text, args := from+"WHERE 1 = 1", []any{}
	where := func(condition string, value any) { text, args = text+" AND "+condition, append(args, value) }
	if q.Open {
		where("q.state = ?", Open)
	}
	if q.ConnectionID != "" {
		where("q.connection_id = ?", q.ConnectionID)
	}
	if q.Before != "" {
		where("q.id < ?", q.Before)
	}
	text += " ORDER BY q.id DESC"
	if q.Limit > 0 && !q.Open { // no more are open than there are runs
		text, args = text+" LIMIT ?", append(args, q.Limit)
	}
	var rows []found
	if err := s.db.Read.NewRaw(text, args...).Scan(ctx, &rows); err != nil {
		return nil, s.db.Fail("read the questions", err)
	}
	out := []Question{}
	for i := range rows {
		if one := rows[i].public(s.db.Now(), alive); (!q.Open || one.State == Open) && (q.Limit == 0 || len(out) < q.Limit) {
			out = append(out, one)
		}
	}
	return out, nil
}

// Question returns the question of that id, or questions.unknown. alive is as in Questions.
func (s *Store) Question(ctx context.Context, id string, alive func(holder string) bool) (*Question, error) {
	f, err := find(ctx, s.db.Read, id)
	if err != nil {
		return nil, s.db.Fail("read the question", err)
	}
	q := f.public(s.db.Now(), alive)
	return &q, nil
}

// QuestionState returns the state that a question is kept in. It is cheap enough to be
// asked each second.
func (s *Store) QuestionState(ctx context.Context, id string) (state string, err error) {
	err = s.db.Read.NewSelect().Model((*row)(nil)).Column("state").Where("id = ?", id).Scan(ctx, &state)
	if errors.Is(err, sql.ErrNoRows) {
		return "", unknown()
	}
	return state, s.db.Fail("read the question", err)
}

func find(ctx context.Context, q bun.IDB, id string) (*found, error) {
	f := new(found)
	err := q.NewRaw(from+"WHERE q.id = ?", id).Scan(ctx, f)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, unknown()
	}
	return f, err
}

// stateIn returns the row of a question but for the guest's words.
func stateIn(t *db.Tx, id string) (*row, error) {
	r := new(row)
	err := t.DB.NewSelect().Model(r).Column("id", "state", "answer", "closed_by", "closed_us").Where("id = ?", id).Scan(t.Ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, unknown()
	}
	return r, err
}
