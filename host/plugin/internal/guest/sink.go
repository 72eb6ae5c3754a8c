package guest

import (
	"github.com/pdpp-host/pdpp-host/abi"
)

// Sink receives a guest's calls. Its methods are called one at a time, on the
// goroutine that runs the guest; a slice is valid only during the call. Any error but
// a *Refused ends the guest at once and becomes its Outcome's Err.
type Sink interface {
	Manifest(p []byte) error
	Emit(p []byte) error
	// Message receives the payload of the call named by its row of abi.Calls: state,
	// gap, coverage, skip, progress or done.
	Message(call *abi.Call, p []byte) error
	Log(level int32, text []byte) error
	// Output receives the guest's output on file descriptor 1 or 2, at most
	// OutputBytes at a time.
	Output(fd int, text []byte) error
	// Submit starts a request. Its answer arrives through Session.Answer, at any time.
	Submit(handle int32, op abi.Operation, request []byte) error
}

// OutputBytes is the maximum size of one Sink.Output.
const OutputBytes = 4 << 10

// Refused is an error that the guest reads with last_error and survives.
type Refused struct{ Err *abi.Error }

// Error returns the refusal's text.
func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap returns the error behind the refusal.
func (r *Refused) Unwrap() error { return r.Err }

func refuse(code abi.Code, message string) *Refused {
	return &Refused{abi.NewError(code, message, "")}
}
