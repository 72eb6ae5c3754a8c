package abi

import "errors"

// Code is a stable, dotted error code: area, then what is wrong. A code never
// changes its meaning; codes are listed in codes.go.
type Code string

// Error is the project's one error shape: the problem (Message), its place (Detail)
// and the remedy (Hint). Message and Detail never carry a secret or a record's value.
// An Error is immutable once made.
type Error struct {
	Code    Code
	Message string
	Detail  string
	Hint    string
	Err     error // the wrapped error, for the debug log only
}

// Error returns the message with its code, and the detail when there is one.
func (e *Error) Error() string {
	s := e.Message
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s + " [" + string(e.Code) + "]"
}

// Unwrap returns what e wraps.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error with the same code, so errors.Is(err,
// &Error{Code: c}) finds a code anywhere in the chain.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// NewError returns an Error with a code, a message and a hint.
func NewError(code Code, message, hint string) *Error {
	return &Error{Code: code, Message: message, Hint: hint}
}

// WithDetail returns a copy of e with a detail: the place of the problem.
func (e *Error) WithDetail(detail string) *Error {
	c := *e
	c.Detail = detail
	return &c
}

// WithHint returns a copy of e with another hint.
func (e *Error) WithHint(hint string) *Error {
	c := *e
	c.Hint = hint
	return &c
}

// Wrap returns a copy of e that wraps err.
func (e *Error) Wrap(err error) *Error {
	c := *e
	c.Err = err
	return &c
}

// CodeOf returns the code of the first Error in err's tree, depth first, or
// CodeInternal. errors.As is not used, since it needs reflection.
func CodeOf(err error) Code {
	if e := find(err); e != nil {
		return e.Code
	}
	return CodeInternal
}

func find(err error) *Error {
	for err != nil {
		if e, ok := err.(*Error); ok {
			return e
		}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, err := range joined.Unwrap() {
				if e := find(err); e != nil {
					return e
				}
			}
			return nil
		}
		err = errors.Unwrap(err)
	}
	return nil
}
