package words

// Questions of runs.
const (
	QuestionsTitle  = "Questions"
	QuestionsLede   = "What running connectors ask you. The first answer counts, from whichever page or command it comes."
	NoQuestions     = "No run asks you anything."
	OpenQuestions   = "Waiting for your answer"
	ClosedQuestions = "Earlier"
	OlderQuestions  = "Earlier questions"
	AskedColumn     = "Asked"
	ConnectorSays   = "In the words of the connector"
	AsksForColumn   = "Asks for"
	OfRun           = "The run"
	WhatWasAsked    = "What it asked"
	YourAnswer      = "Your answer"
	OneTimeCode     = "One-time code"
	ChooseOne       = "Choose"
	KeepAnswer      = "Store it, encrypted, for this connection"
	ItIsDone        = "It is done"
	DeclineQuestion = "Decline"
	DeclineHint     = "The run is told that you declined, and ends or goes on without."
	CannotBeAsked   = "Nothing says what the connector asks for, so that it can only be declined."
	ClosedAnswered  = "It was answered."
	ClosedDeclined  = "It was declined."
	ClosedTimedOut  = "Nobody answered in time, and the run was told so. Another run asks again."
	ClosedLost      = "The run that asked has ended without an answer. Another run asks again."
	AnswerAgain     = "see below what is asked for, and type it again"
	NoChoice        = "There is no such choice"
	KeepNeeded      = "The answer is a credential, which is stored or not given at all"
	KeepNeededHint  = "say below that it is to be stored, and type it again, or decline"
)

var asksFor = map[string]string{
	"otp": "a one-time code", "credentials": "a credential", "missing_credentials": "a missing credential", "manual_action": "something to be done",
}

// AnswerKind names the answer that a question of a kind asks for.
func AnswerKind(kind string) string {
	if text, known := asksFor[kind]; known {
		return text
	}
	return "an answer"
}

var questionStates = map[string]string{"open": "Waits", "answered": "Answered", "declined": "Declined", "timed_out": "Timed out", "lost": "Lost"}

// QuestionState is a question's state in words.
func QuestionState(state string) string {
	if text, known := questionStates[state]; known {
		return text
	}
	return state
}

// QuestionClosed says what became of a question that waits no more.
func QuestionClosed(state string) string {
	switch state {
	case "answered":
		return ClosedAnswered
	case "declined":
		return ClosedDeclined
	case "timed_out":
		return ClosedTimedOut
	}
	return ClosedLost
}
