package main

import (
	"errors"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
)

// tilde shortens a path below the home folder: what a command prints is pasted
// into reports, and a home folder's name is a person's (LC-08.5).
func (a *app) tilde(path string) string { return output.Tilde(a.Home, path) }

// homely is an error that names the home folder as ~ only. Its code and what it
// wraps stay.
func (a *app) homely(err error) error {
	var e *abi.Error
	if !errors.As(err, &e) {
		return err
	}
	return abi.NewError(e.Code, a.short(e.Message), a.short(e.Hint)).WithDetail(a.short(e.Detail)).Wrap(err)
}

// short is a text that names the home folder as ~ only.
func (a *app) short(text string) string {
	if a.Home == "" || a.Home == "/" {
		return text
	}
	return strings.ReplaceAll(text, strings.TrimRight(a.Home, "/")+"/", "~/")
}
