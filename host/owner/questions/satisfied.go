package questions

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Satisfy answers what runs of a connection ask for credentials that are missing, where none
// is missing any more: their owner has stored them without looking at the question. missing
// reports whether the connector needs a credential that it does not have.
func Satisfy(ctx context.Context, o *owner.Owner, connectionID string, missing func(field string) bool) error {
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	open, err := store.Questions(ctx, storage.QuestionQuery{Open: true, ConnectionID: connectionID}, holder.Alive)
	if err != nil {
		return err
	}
	for i := range open {
		if q := &open[i]; q.Kind == abi.InteractionMissingCredentials && !asksForMore(q, missing) {
			_, err = closeQuestion(ctx, o, "questions.answer", q.ID, func(ctx context.Context, store *storage.Store, q *storage.Question) ([]byte, error) {
				return seal(ctx, o, store, q, nil)
			})
			if code := abi.CodeOf(err); err != nil && code != CodeAnswered && code != CodeClosed {
				return err
			}
		}
	}
	return nil
}

// asksForMore reports whether a question asks for a credential that is still missing. One
// that nobody can read is left to its owner.
func asksForMore(q *storage.Question, missing func(field string) bool) bool {
	fields, err := fieldsOf(q)
	for _, f := range fields {
		if missing(f.Name) {
			return true
		}
	}
	return err != nil
}
