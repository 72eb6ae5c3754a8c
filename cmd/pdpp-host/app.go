package main

import (
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/invocation"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/vault"
)

// app is one invocation, and what its commands share. What is costly
// (configuration, store, engine) is made when a command asks for it.
type app struct {
	invocation.Invocation

	commands []string // the names of the commands there are
	invoked  string   // what an owner types for this binary; "": its name
	loaded   *config.Config
	session  vault.Session // one, so that a keyring that hangs is asked once
}

func newApp() *app {
	return &app{Invocation: invocation.New("everything that is kept"), invoked: invokedAs(os.Args[0])}
}

// main runs the command that args name and returns the exit status.
func (a *app) main(args []string) int { return a.Execute(a.root, args, a.advised) }

// interactive reports whether somebody can be asked: on standard input.
func (a *app) interactive() bool { return term.IsTerminal(int(a.In.Fd())) }

// config loads the configuration, once.
func (a *app) config() (*config.Config, error) {
	if a.loaded != nil {
		return a.loaded, nil
	}
	c, err := a.Configuration()
	a.loaded = c
	return c, err
}

// usage is a usage.invalid error.
func usage(message, hint string) *abi.Error { return syntax.Usage(message, hint) }

// quoted is a word as a shell takes it.
func quoted(word string) string { return syntax.Quoted(word) }

// takes is what a command's arguments are checked with.
func takes(names ...string) cobra.PositionalArgs { return syntax.Takes(names...) }

// group is a command that only holds others.
func (a *app) group(use, short string, fallback func(*cobra.Command) error) *cobra.Command {
	return syntax.Group(use, short, a.Printer.Raw, fallback)
}
