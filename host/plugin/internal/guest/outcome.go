package guest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/sys"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/books"
)

// Outcome is the result of a guest's export.
type Outcome struct {
	// Returned reports that the export returned, with Code as its result. If Err has
	// the code guest.exit, Code is the argument of proc_exit.
	Returned bool
	Code     int32
	Err      error
	// Books are those of a collect that returned 0 and had folders; nil: there are none.
	Books *books.Report
}

// classify turns wazero's result into an Outcome. The session's own reason takes
// precedence, because unwinding a guest looks like a trap.
func (s *Session) classify(code int32, err error, mem *budget) Outcome {
	var exit *sys.ExitError
	switch {
	case s.failed != nil:
		return Outcome{Err: s.failed}
	case err == nil:
		return Outcome{Returned: true, Code: code}
	case s.killed.Load():
		return Outcome{Err: ErrKilled}
	case mem.short:
		return Outcome{Err: abi.NewError(CodeMachineMemory, "this machine has no memory left for the connector",
			"the connector is not at fault: free memory, raise what `ulimit -v` or the service's container allows, or run fewer at a time").
			WithDetail(fmt.Sprintf("the connector itself may use %d MiB", mem.limit>>20)).Wrap(err)}
	case mem.refused && s.overflowed:
		return Outcome{Err: abi.NewError(abi.CodeGuestTrap, "the connector crashed",
			"this is a fault in the connector: it calls itself without an end, and more memory does not help").
			WithDetail("stack overflow").Wrap(err)}
	case mem.refused:
		return Outcome{Err: memoryError(mem.limit).Wrap(err)}
	case errors.As(err, &exit):
		n := int32(exit.ExitCode())
		return Outcome{Code: n, Err: abi.NewError(abi.CodeGuestExit,
			fmt.Sprintf("the connector called exit(%d) instead of returning", n),
			"this is a fault in the connector; the end of its log may say more").Wrap(err)}
	default:
		return Outcome{Err: abi.NewError(abi.CodeGuestTrap, "the connector crashed",
			"this is a fault in the connector; the end of its log may say more").
			WithDetail(trapText(err)).Wrap(err)}
	}
}

// CodeMachineMemory is the code of a machine, or a limit that the operator has put around the
// host, that had less memory than a connector may use.
const CodeMachineMemory abi.Code = "worker.no_memory"

func memoryError(limit uint64) *abi.Error {
	return abi.NewError(abi.CodeLimitMemory, "the connector asked for more memory than allowed",
		"a connector that keeps too much at once is at fault: its log may say more; raise limits.memory only if it is known to need it").
		WithDetail(fmt.Sprintf("the limit is %d MiB", limit>>20))
}

// ErrKilled is the end of an inline guest that Session.Kill ended; the caller knows
// the reason.
var ErrKilled = errors.New("the guest was stopped")

// traps are the engine's own words for the cause of a crash.
var traps = []string{
	"unreachable", "stack overflow", "out of bounds memory access", "invalid table access",
	"indirect call type mismatch", "integer divide by zero", "integer overflow", "invalid conversion to integer",
}

// trapText returns the kind of trap. Any other text of the error may contain the
// guest's own words, such as a function's name, and stays in the debug log.
func trapText(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	for _, t := range traps {
		if strings.Contains(line, "wasm error: "+t) {
			return t
		}
	}
	if strings.HasPrefix(line, "HTTP request to ") {
		return "it called Extism's http_request; the only way out is the call submit"
	}
	return ""
}

// protect runs f and turns a panic of wazero into an error: a crash of the engine on a
// hostile module must not crash the host.
func protect(f func() (int32, error)) (code int32, err error) {
	defer func() {
		if p := recover(); p != nil {
			if e, ok := p.(error); ok {
				err = e
			} else {
				err = fmt.Errorf("engine failure: %v", p)
			}
		}
	}()
	return f()
}
