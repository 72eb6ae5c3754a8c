package words

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Problem is an error as a result carries it.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// ProblemOf gives an error its result: what is wrong and where from stand together
// in the message. No error has none.
func ProblemOf(err error) *Problem {
	if err == nil {
		return nil
	}
	e := Typed(err)
	message := e.Message
	if e.Detail != "" {
		message += ": " + e.Detail
	}
	return &Problem{Code: string(e.Code), Message: Clean(message), Hint: Clean(e.Hint)}
}

// Typed returns the first *abi.Error in err's chain. An error without a code becomes an
// internal error: its text stays in the debug log, because it may quote anything.
func Typed(err error) *abi.Error {
	var e *abi.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return abi.NewError(abi.CodeInterrupted, "interrupted", "run the command again")
	default:
		return abi.NewError(abi.CodeInternal, "an internal error", "run it again with --log-level debug and report what it says").Wrap(err)
	}
}
