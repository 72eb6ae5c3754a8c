package send

import "github.com/pdpp-host/pdpp-host/abi"

// The stable codes of this package's refusals and failures.
const (
	CodeProfileInvalid    abi.Code = "send.profile_invalid"
	CodeRateLimited       abi.Code = "send.rate_limited"
	CodeAttemptsExhausted abi.Code = "send.attempts_exhausted"
	CodeBudgetExhausted   abi.Code = "send.budget_exhausted"
	CodeCircuitOpen       abi.Code = "send.circuit_open"
	CodeResponseTooLarge  abi.Code = "send.response_too_large"
	CodeRedirectRefused   abi.Code = "send.redirect_refused"
	CodeStreamUndeclared  abi.Code = "send.stream_undeclared"
	CodeCursorInvalid     abi.Code = "send.cursor_invalid"
)
