package handoffs

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
)

// The codes of this room.
const (
	CodeUnknown      = handoff.CodeUnknown
	CodeTaken        = handoff.CodeTaken
	CodeTokenInvalid = handoff.CodeTokenInvalid
	CodeEnded        = handoff.CodeEnded
	CodeInputInvalid = handoff.CodeInputInvalid
	CodeTooFast      = handoff.CodeTooFast

	CodeSessionNeeded abi.Code = "handoff.session_needed" // a page is opened in a browser that is signed in
)
