package main

import (
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
)

// app is the session of this program, with all its commands.
type app struct{ *session.Session }

func newApp() *app { return &app{session.New(version)} }

// main runs the command that args name and returns the exit status.
func (a *app) main(args []string) int { return a.Execute(a.root, args, a.Advised) }
