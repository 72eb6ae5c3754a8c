package main

import (
	"os"

	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/invocation"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// app is one invocation.
type app struct{ invocation.Invocation }

func newApp() *app { return &app{invocation.New("compiled modules")} }

// main runs the command that args name and returns the exit status.
func (a *app) main(args []string) int {
	status := a.Execute(a.root, args, a.homely)
	if status == exitcode.Interrupted && a.Stop.Terminated() {
		return exitcode.Terminated
	}
	return status
}

// env is what the collector reads of this machine to find its files.
func (a *app) env() profile.Env { return profile.Env{Getenv: os.Getenv, Home: a.Home} }
