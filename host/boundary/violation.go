package boundary

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// maxQuoted bounds an error's quotation of a guest's bytes.
const maxQuoted = 200

// quote returns a stream name or key for an error: short, on one line and with
// its control characters escaped.
func quote(s string) string {
	if len(s) > maxQuoted {
		s = strings.ToValidUTF8(s[:maxQuoted], "") + "..."
	}
	return strconv.Quote(s)
}

func violation(code abi.Code, message, hint string) error {
	return abi.NewError(code, message, hint)
}

func tooLarge(what string, size, limit int) error {
	return violation(abi.CodeCallTooLarge, fmt.Sprintf("%s of %d bytes is above the limit of %d", what, size, limit),
		"send less at once")
}

// refused turns the reader's error into a violation, without a byte of the text.
func refused(what string, err error) error {
	var e *tape.Error
	if !errors.As(err, &e) {
		return violation(abi.CodeInternal, what+" could not be read", "report this")
	}
	code, hint := abi.CodeSyntax, "emit strict JSON (RFC 8259)"
	switch e.Fault {
	case tape.InvalidUTF8:
		code, hint = abi.CodeInvalidUTF8, "emit valid UTF-8 and whole surrogate pairs"
	case tape.Duplicate:
		code, hint = abi.CodeDuplicateName, "emit each member name once an object"
	case tape.Nesting:
		code, hint = abi.CodeNesting, fmt.Sprintf("nest at most %d deep", abi.MaxNesting)
	case tape.TooMany:
		code, hint = abi.CodeCallTooLarge, "send less at once"
	}
	return violation(code, what+" "+e.Error(), hint)
}
