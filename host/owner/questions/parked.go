package questions

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/interact"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// lookEvery is how often a run looks for its answer: it goes on within a second.
const lookEvery = 500 * time.Millisecond

// Parked asks for one run that nobody watches. It implements run.Asker; its Began belongs
// into the run's hook of that name.
type Parked struct {
	store    *storage.Store
	vault    vault.Options
	now      func() time.Time
	random   io.Reader
	logger   *slog.Logger
	handoffs *handoff.Registry
	waiting  func(bool)
	run      run.Began
}

// Park returns the asker of one run. waiting is told that the run begins to wait, and that
// it goes on; nil: nobody is.
func Park(o *owner.Owner, store *storage.Store, waiting func(bool)) *Parked {
	if waiting == nil {
		waiting = func(bool) {}
	}
	return &Parked{store: store, vault: o.Vault, now: o.Now, random: o.Random, logger: o.Logger, handoffs: o.Handoffs, waiting: waiting}
}

// Began says which run asks.
func (p *Parked) Began(b run.Began) { p.run = b }

// Ask implements run.Asker: it keeps the question and waits until somebody answers it, ctx
// ends, or the question's time does.
func (p *Parked) Ask(ctx context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
	return p.ask(ctx, in, nil)
}

// AskOn implements run.PageAsker: the question and the hand-off of the page end together,
// whichever ends first.
func (p *Parked) AskOn(ctx context.Context, in abi.Interaction, page handoff.Surface) (abi.InteractionResponse, error) {
	return p.ask(ctx, in, page)
}

func (p *Parked) ask(ctx context.Context, in abi.Interaction, page handoff.Surface) (abi.InteractionResponse, error) {
	none := abi.InteractionResponse{Status: abi.ResponseCancelled}
	if _, err := interact.FieldsOf(in); err != nil {
		return none, err
	}
	q := storage.Question{
		ID: run.SortedID("q_", p.now(), p.random), RunID: p.run.RunID, ConnectionID: p.run.ConnectionID, Kind: in.Kind, Stream: in.Stream, Message: in.Message, Schema: in.Schema,
	}
	if end, ok := ctx.Deadline(); ok {
		q.Deadline = p.now().Add(time.Until(end))
	}
	if err := p.store.OpenQuestion(ctx, q); err != nil {
		return none, err
	}
	p.waiting(true)
	defer p.waiting(false)
	if page == nil || p.handoffs == nil {
		p.await(ctx, q.ID, nil, func() {})
		return p.take(context.WithoutCancel(ctx), q.ID, byTime(ctx)), nil
	}
	h := p.handoffs.Open(handoff.Opening{
		ID: q.ID, ConnectionID: q.ConnectionID, Connection: p.run.Connection, RunID: q.RunID, Reason: in.Browser.Reason, Deadline: q.Deadline,
	}, page)
	p.await(ctx, q.ID, h.Ended(), func() { p.keepTime(ctx, &q) })
	otherwise, known := closedAs[h.Outcome()]
	if !known {
		otherwise = byTime(ctx)
	}
	resp := p.take(context.WithoutCancel(ctx), q.ID, otherwise)
	h.End(outcomes[resp.Status])
	return resp, nil
}

// closedAs is what a question is closed as whose page has come to an outcome.
var closedAs = map[string]string{
	handoff.OutcomeDone: storage.QuestionAnswered, handoff.OutcomeCancelled: storage.QuestionDeclined, handoff.OutcomeTimedOut: storage.QuestionTimedOut,
	handoff.OutcomeLost: storage.QuestionLost,
}

// outcomes are those of a page whose question was closed first.
var outcomes = map[string]string{
	abi.ResponseSuccess: handoff.OutcomeDone, abi.ResponseCancelled: handoff.OutcomeCancelled, abi.ResponseTimeout: handoff.OutcomeTimedOut,
}

// byTime is what an open question is closed as when ctx has ended.
func byTime(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return storage.QuestionTimedOut
	}
	return storage.QuestionLost
}

// keepTime keeps the time that there is for a question on its page, which other processes show.
func (p *Parked) keepTime(ctx context.Context, q *storage.Question) {
	h, err := p.handoffs.Show(q.ID)
	if err != nil || h.Outcome != "" || h.Deadline.Equal(q.Deadline) {
		return
	}
	if p.store.SetQuestionDeadline(ctx, q.ID, h.Deadline) == nil { // else with the next look
		q.Deadline = h.Deadline
	}
}

// await returns when the question is closed, its page is over, or ctx ends. looks is called with
// each look.
func (p *Parked) await(ctx context.Context, id string, over <-chan struct{}, looks func()) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for failed := false; ; {
		looks()
		select {
		case <-ctx.Done():
			return
		case <-over:
			return
		case <-look.C:
		}
		state, err := p.store.QuestionState(ctx, id)
		switch {
		case err == nil && state != storage.QuestionOpen, abi.CodeOf(err) == CodeUnknown: // or its connection was removed
			return
		case err != nil && !failed && ctx.Err() == nil:
			failed = true
			p.logger.Warn("it cannot be read whether a question was answered; tried again", "question", id, "code", abi.CodeOf(err))
		}
	}
}

// take ends the wait, and returns what the run is told. A question that is open still is closed
// as otherwise.
func (p *Parked) take(ctx context.Context, id, otherwise string) abi.InteractionResponse {
	state, sealed, err := p.store.TakeAnswer(ctx, id, otherwise)
	out := abi.InteractionResponse{Status: abi.ResponseCancelled}
	switch {
	case err != nil:
	case state == storage.QuestionTimedOut:
		out.Status = abi.ResponseTimeout
	case state == storage.QuestionAnswered && sealed == nil: // on the page
		out.Status = abi.ResponseSuccess
	case state == storage.QuestionAnswered:
		if out.Data, err = p.open(ctx, id, sealed); err == nil {
			out.Status = abi.ResponseSuccess
		}
	}
	if err != nil {
		p.logger.Error("the answer to a question cannot be read; the run is told that its owner declined", "question", id, "code", abi.CodeOf(err))
	}
	return out
}

func (p *Parked) open(ctx context.Context, id string, sealed []byte) (values map[string]string, err error) {
	v, err := credential.OpenVault(ctx, p.store, p.vault, false)
	if err != nil {
		return nil, err
	}
	plain, err := v.Unseal(p.run.ConnectionID, answerField(id), sealed)
	if err != nil {
		return nil, err
	}
	defer clear(plain)
	return values, json.Unmarshal(plain, &values)
}
