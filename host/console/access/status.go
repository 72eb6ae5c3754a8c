package access

import (
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/web"
)

func statusOf(err error) int { return web.Status(abi.CodeOf(err)) }

// typed returns the error that a form shows.
func typed(err error) (e *abi.Error) {
	if !errors.As(err, &e) {
		e = &abi.Error{}
	}
	return e
}
