package show

import (
	"fmt"
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// WriteRuntime says what is wrong with the machine or with what serves, and what helps. It
// stands above the connections.
func WriteRuntime(w io.Writer, style output.Style, advise func(string) string, r view.Runtime) {
	line := r.Indicator()
	if line == "" {
		return
	}
	if advice := r.Advice(); advice != "" {
		line += " " + advise(advice)
	}
	fmt.Fprintln(w, style.Red(line))
}

// RefusesRuns is the error of a command that shows how connections are while this machine
// can run none of them; nil: it can. WriteRuntime has said what is wrong.
func RefusesRuns(r view.Runtime) *abi.Error {
	switch {
	case !r.RefusesRuns():
		return nil
	case r.Fault == view.FaultDiskFull:
		return abi.NewError(abi.CodeStoreFull, "no run can begin: the disk is full", r.Advice())
	}
	return abi.NewError(abi.CodeStoreUnavailable, "no run can begin: the store takes no writes", r.Advice())
}

// Result ends a command that shows how connections are, with RefusesRuns where that holds.
func Result(p *output.Printer, advised func(error) error, r view.Runtime, summary string, result any, text func(io.Writer)) error {
	refused := RefusesRuns(r)
	if refused == nil {
		return p.Result(summary, result, text)
	}
	if err := p.Failed(summary, result, advised(refused), text); err != nil {
		return err
	}
	return refused
}
