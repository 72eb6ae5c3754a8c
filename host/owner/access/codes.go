package access

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The codes of this room.
const (
	CodeLinkInvalid              = storage.CodeLinkInvalid
	CodePasswordShort   abi.Code = "owner.password_short"
	CodePasswordWrong   abi.Code = "owner.password_wrong"
	CodePasskeyRefused  abi.Code = "owner.passkey_refused" //nolint:gosec // the name of a refusal
	CodePasskeyUnknown           = storage.CodePasskeyUnknown
	CodePasskeyKnown             = storage.CodePasskeyKnown
	CodePasskeyLast              = storage.CodePasskeyLast
	CodePasskeyCopied            = storage.CodePasskeyCopied
	CodePasskeysFull             = storage.CodePasskeysFull
	CodeTooManyAttempts abi.Code = "owner.too_many_attempts"
	CodeSignedOut                = storage.CodeSignedOut
	CodeSessionUnknown  abi.Code = "owner.session_unknown"
	CodeTokenUnknown    abi.Code = "tokens.unknown"
	CodeTokenRefused    abi.Code = "tokens.refused"
	CodeScope           abi.Code = "tokens.scope"
)
