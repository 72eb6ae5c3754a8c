package questions

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/interact"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Given is an answer.
type Given struct {
	ID     string
	Values map[string]string // by the fields' names
	// Keep says that credentials are to be stored, encrypted, for the connection. Such an
	// answer goes nowhere else, so that it is refused without (OC-18.1).
	Keep bool
}

// Answer answers a question. The first answer counts: any other is refused with
// questions.answered_already, and says who gave the first.
func Answer(ctx context.Context, o *owner.Owner, g Given) (*Question, error) {
	return closeQuestion(ctx, o, "questions.answer", g.ID, func(ctx context.Context, store *storage.Store, q *storage.Question) ([]byte, error) {
		if err := check(q, &g); err != nil {
			return nil, err
		}
		return seal(ctx, o, store, q, g.Values)
	})
}

// Decline closes a question without an answer: the run is told that its owner declined.
func Decline(ctx context.Context, o *owner.Owner, id string) (*Question, error) {
	return closeQuestion(ctx, o, "questions.decline", id, func(context.Context, *storage.Store, *storage.Question) ([]byte, error) { return nil, nil })
}

// closeQuestion closes a question with the sealed answer that answer makes.
func closeQuestion(
	ctx context.Context, o *owner.Owner, operation, id string, answer func(context.Context, *storage.Store, *storage.Question) ([]byte, error),
) (*Question, error) {
	store, q, err := find(ctx, o, id)
	if err != nil {
		return nil, err
	}
	subject := q.Connection + " " + q.ID
	var sealed []byte
	if q.State == storage.QuestionOpen { // else the store says why it takes none
		if sealed, err = answer(ctx, store, q); err != nil {
			return nil, o.Refused(ctx, store, operation, subject, err)
		}
	}
	err = o.Audited(ctx, store, operation, subject, func(ctx context.Context) error {
		return store.AnswerQuestion(ctx, q.ID, string(o.Actor.Face), sealed, holder.Alive)
	})
	if err != nil {
		return nil, err
	}
	return Show(ctx, o, q.ID)
}

// check refuses an answer that does not fit. No error holds any of it.
func check(q *storage.Question, g *Given) error {
	fields, err := fieldsOf(q)
	if err != nil {
		return err
	}
	if keeps(q) && !g.Keep {
		return abi.NewError(CodeKeepNeeded, "the answer is a credential, which is stored or not given at all",
			"say that it is to be stored, encrypted: pdpp-host questions answer "+words.Quoted(q.ID)+" --keep")
	}
	asked := map[string]bool{}
	for _, f := range fields {
		asked[f.Name] = f.Name != ""
		if problem := problemOf(f, g.Values[f.Name]); f.Name != "" && problem != "" {
			return abi.NewError(CodeAnswerInvalid, fmt.Sprintf("the answer does not fit: %s", problem), "see what is asked for: pdpp-host questions show "+words.Quoted(q.ID)).
				WithDetail("field " + quoted(f.Name, mostLabel))
		}
	}
	for name := range g.Values {
		if !asked[name] {
			return abi.NewError(CodeAnswerInvalid, "the answer has a field that was not asked for", "see what is asked for: pdpp-host questions show "+words.Quoted(q.ID))
		}
	}
	return nil
}

func problemOf(f interact.Field, text string) string {
	if words.Clean(text) != text {
		return "it holds control characters"
	}
	return f.Problem(text)
}

// answerField is the field that an answer is sealed for.
func answerField(id string) string { return "question " + id }

// seal seals an answer for its question.
func seal(ctx context.Context, o *owner.Owner, store *storage.Store, q *storage.Question, values map[string]string) ([]byte, error) {
	if values == nil {
		values = map[string]string{}
	}
	plain, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	defer clear(plain)
	if len(plain) > vault.MaxValue {
		return nil, abi.NewError(CodeAnswerInvalid, "the answer is longer than 64 KiB", "check what was pasted or piped in")
	}
	v, err := credential.OpenVault(ctx, store, o.Vault, true)
	if err != nil {
		return nil, err
	}
	return v.Seal(q.ConnectionID, answerField(q.ID), plain)
}
