package site

import (
	"errors"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// StatusOf is the HTTP status of an error.
func StatusOf(err error) int { return web.Status(abi.CodeOf(err)) }

// Typed returns the error that a form shows; nil: there is none to show.
func Typed(err error) (e *abi.Error) {
	if !errors.As(err, &e) {
		return nil
	}
	return e
}

// ofForms are the areas of refusals that another entry in the same form may answer.
var ofForms = []string{"usage.", "connection.invalid", "files.", "manifest.option", "option.", "egress.", "run.source", "run.folder", "run.root", "read."}

// OfForm reports whether an error is about what a form said, which is then shown again.
func OfForm(err error) bool {
	e := Typed(err)
	if e == nil || e.Code == abi.CodeInternal || e.Code == abi.CodeConnectionUnknown {
		return false
	}
	for _, area := range ofForms {
		if strings.HasPrefix(string(e.Code), area) {
			return true
		}
	}
	return false
}
