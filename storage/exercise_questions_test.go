package storage

import (
	"fmt"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// question opens a question of the run that is going on.
func (x *exercise) question(n NewRun, id string) Question {
	x.Helper()
	q := Question{
		ID: id, RunID: n.RunID, ConnectionID: n.ConnectionID, Kind: abi.InteractionOTP, Stream: "a", Message: "the code?\u202e", Schema: []byte(`{"type":"object"}`),
		Deadline: x.clock.Now().Add(time.Minute).UTC(),
	}
	x.ok(x.s.OpenQuestion(x.Context(), q))
	return q
}

// states are the questions that a query chooses, with their states.
func (x *exercise) states(q QuestionQuery, alive func(string) bool) (text string) {
	x.Helper()
	all, err := x.s.Questions(x.Context(), q, alive)
	x.ok(err)
	for _, q := range all {
		text += fmt.Sprint(q.ID, " ", q.State, " ", q.ClosedBy, ";")
	}
	return text
}

// OC-18: the first answer counts, the run takes it, and it is there no more.
func exerciseQuestions(_ *testing.T, x *exercise) {
	ctx, n := x.Context(), x.newRun("c")
	w, err := x.s.BeginRun(ctx, n)
	x.ok(err)
	first := x.question(n, "q1")
	got, err := x.s.Question(ctx, "q1", nil)
	x.ok(err)
	first.Connection, first.Connector, first.State, first.AskedAt = "c", "demo", QuestionOpen, x.clock.Now().UTC()
	x.same(*got, first)
	x.code(x.s.AnswerQuestion(ctx, "none", "session", []byte("sealed"), nil), CodeQuestionUnknown)
	x.clock.forward(time.Second)
	x.ok(x.s.AnswerQuestion(ctx, "q1", "session", []byte("sealed"), nil))
	x.code(x.s.AnswerQuestion(ctx, "q1", "command_line", []byte("later"), nil), CodeQuestionAnswered)
	x.code(x.s.AnswerQuestion(ctx, "q1", "command_line", nil, nil), CodeQuestionAnswered)
	state, err := x.s.QuestionState(ctx, "q1")
	x.ok(err)
	x.same(state, QuestionAnswered)
	for i, want := range []string{"sealed", ""} {
		state, sealed, err := x.s.TakeAnswer(ctx, "q1", QuestionTimedOut)
		x.ok(err)
		x.same(fmt.Sprint(i, state, string(sealed)), fmt.Sprint(i, QuestionAnswered, want))
	}

	x.question(n, "q2")
	x.ok(x.s.AnswerQuestion(ctx, "q2", "session", nil, nil))
	x.question(n, "q3")
	later := x.clock.Now().Add(time.Hour).UTC()
	for id, want := range map[string]time.Time{"q1": first.Deadline, "q3": later} { // one that is closed stays as it was
		x.ok(x.s.SetQuestionDeadline(ctx, id, later))
		q, err := x.s.Question(ctx, id, nil)
		x.ok(err)
		x.same(q.Deadline, want)
	}
	x.same(x.states(QuestionQuery{Open: true}, nil), "q3 open ;")
	// A question whose process is gone is not open, and takes no place of the limit.
	gone := x.newRun("gone", func(n *NewRun) { n.Holder = "gone" })
	_, err = x.s.BeginRun(ctx, gone)
	x.ok(err)
	x.question(gone, "q3b")
	alive := func(holder string) bool { return holder != "gone" }
	x.same(x.states(QuestionQuery{Open: true, Limit: 1}, alive), "q3 open ;")
	state, sealed, err := x.s.TakeAnswer(ctx, "q3", QuestionTimedOut)
	x.ok(err)
	x.same(state+string(sealed), QuestionTimedOut)
	x.code(x.s.AnswerQuestion(ctx, "q3", "session", []byte("late"), nil), CodeQuestionClosed)
	x.same(x.states(QuestionQuery{Limit: 2, ConnectionID: n.ConnectionID}, nil), "q3 timed_out ;q2 declined session;")
	x.same(x.states(QuestionQuery{Before: "q2"}, nil), "q1 answered session;")
	x.same(x.states(QuestionQuery{ConnectionID: "other"}, nil), "")
	x.finish(w)
	x.code(x.s.OpenQuestion(ctx, Question{ID: "q4", RunID: n.RunID, ConnectionID: n.ConnectionID}), abi.CodeFenced)
	x.ok(x.s.RemoveConnection(ctx, "c", nil))
	x.same(x.states(QuestionQuery{}, nil), "q3b open ;")
}

// OC-18.2: a question is lost with its run: when it ends, when the next one takes over,
// and when a server looks for what another left behind, which ends the run, too. An answer that no run has taken
// goes with it.
func exerciseLostQuestions(_ *testing.T, x *exercise) {
	ctx, dead := x.Context(), func(string) bool { return false }
	n := x.newRun("c")
	w, err := x.s.BeginRun(ctx, n)
	x.ok(err)
	x.question(n, "q1")
	x.finish(w)
	x.same(x.states(QuestionQuery{}, nil), "q1 lost ;")

	n = x.newRun("c")
	_, err = x.s.BeginRun(ctx, n)
	x.ok(err)
	x.question(n, "q2")
	x.question(n, "q3")
	x.ok(x.s.AnswerQuestion(ctx, "q3", "session", []byte("sealed"), nil))
	// The host is dead, and nobody has written it down so far.
	x.same(x.states(QuestionQuery{Open: true}, dead), "")
	x.same(x.states(QuestionQuery{Limit: 2}, dead), "q3 answered session;q2 lost ;")
	x.code(x.s.AnswerQuestion(ctx, "q2", "session", []byte("late"), dead), CodeQuestionClosed)
	lost, err := x.s.LoseQuestions(ctx, nil)
	x.ok(err)
	x.same(lost, 0)
	lost, err = x.s.LoseQuestions(ctx, dead)
	x.ok(err)
	x.same(lost, 2)
	x.same(x.states(QuestionQuery{Limit: 2}, nil), "q3 lost session;q2 lost ;")
	_, sealed, err := x.s.TakeAnswer(ctx, "q3", QuestionLost)
	x.ok(err)
	x.same(string(sealed), "")

	// An answer is taken by nobody, too, where nothing else of the run is open.
	n = x.newRun("c", func(n *NewRun) { n.HolderAlive = dead })
	_, err = x.s.BeginRun(ctx, n)
	x.ok(err)
	x.question(n, "q3a")
	x.ok(x.s.AnswerQuestion(ctx, "q3a", "session", []byte("sealed"), nil))
	lost, err = x.s.LoseQuestions(ctx, dead)
	x.ok(err)
	x.same(lost, 1)
	_, sealed, err = x.s.TakeAnswer(ctx, "q3a", QuestionLost)
	x.ok(err)
	x.same(string(sealed), "")

	n = x.newRun("c", func(n *NewRun) { n.HolderAlive = dead })
	_, err = x.s.BeginRun(ctx, n)
	x.ok(err)
	x.question(n, "q4")
	x.begin("c", func(n *NewRun) { n.HolderAlive = dead })
	x.same(x.states(QuestionQuery{Limit: 1}, nil), "q4 lost ;")
	n = x.newRun("c", func(n *NewRun) { n.HolderAlive = dead })
	_, err = x.s.BeginRun(ctx, n)
	x.ok(err)
	x.question(n, "q5")
	lost, err = x.s.LoseRuns(ctx, func(string) bool { return true })
	x.ok(err)
	x.same(lost, 0)
	lost, err = x.s.LoseRuns(ctx, dead)
	x.ok(err)
	x.same(lost, 1)
	run, err := x.s.Run(ctx, n.RunID)
	x.ok(err)
	x.same(run.Status+" "+run.Reason, StatusAbandoned+" host_restarted")
	x.same(x.states(QuestionQuery{Limit: 1}, nil), "q5 lost ;")
	lost, err = x.s.LoseRuns(ctx, dead)
	x.ok(err)
	x.same(lost, 0)
	x.begin("c") // nobody holds the connection

	x.clock.forward(time.Hour) // the lease has run out
	x.same(x.states(QuestionQuery{Open: true}, nil), "")
}
