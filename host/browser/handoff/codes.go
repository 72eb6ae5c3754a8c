package handoff

import "github.com/pdpp-host/pdpp-host/abi"

// The codes of this package.
const (
	CodeUnknown      abi.Code = "handoff.unknown"       // there is none of that id, or no longer
	CodeTaken        abi.Code = "handoff.taken"         // another session of the owner's looks on
	CodeTokenInvalid abi.Code = "handoff.token_invalid" // another's, used or too old
	CodeEnded        abi.Code = "handoff.ended"         // it is over
	CodeInputInvalid abi.Code = "handoff.input_invalid" // what may not be done, or cannot be read
	CodeTooFast      abi.Code = "handoff.too_fast"      // more than a person does
)

func unknown() error {
	return abi.NewError(CodeUnknown, "no page waits under this id", "see what is open: pdpp-host questions")
}

func taken() error {
	return abi.NewError(CodeTaken, "the page is open in another session of yours", "close it there, or sign that session out")
}

func tokenInvalid() error {
	return abi.NewError(CodeTokenInvalid, "the page was opened too long ago, or somewhere else since", "open it again")
}

func over(outcome string) error {
	how := map[string]string{
		OutcomeDone: "what it was open for is done", OutcomeCancelled: "the run was told that it cannot be done", OutcomeTimedOut: "its time is over", OutcomeLost: "its browser has ended",
	}[outcome]
	return abi.NewError(CodeEnded, "the page is no longer open: "+how, "see what became of the run; it asks again where it still has to")
}

func invalid(text string) *abi.Error {
	return abi.NewError(CodeInputInvalid, text, "load the page of the hand-off again")
}

func tooFast() error {
	return abi.NewError(CodeTooFast, "that is more input than a page is given at a time", "send what is left a second later")
}
