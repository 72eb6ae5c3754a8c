package session

import (
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/cmd/internal/invocation"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/roots"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/vault"
)

// Session is one invocation, and what its commands share. The configuration, the store
// and the engine are costly; each is made when a command asks for it.
type Session struct {
	invocation.Invocation

	Commands []string // the names of the commands there are
	Invoked  string   // what an owner types for this binary; "": its name
	Version  string   // of this binary

	loaded  *config.Config
	keyring vault.Session // one, so that a keyring that hangs is asked once
}

// New returns the session of this process.
func New(version string) *Session {
	return &Session{Invocation: invocation.New("everything that is kept"), Invoked: invokedAs(os.Args[0]), Version: version}
}

// Interactive reports whether somebody can be asked: on standard input.
func (s *Session) Interactive() bool { return term.IsTerminal(int(s.In.Fd())) }

// Config loads the configuration, once.
func (s *Session) Config() (*config.Config, error) {
	if s.loaded != nil {
		return s.loaded, nil
	}
	c, err := s.Configuration()
	s.loaded = c
	return c, err
}

// Group is a command that only holds others.
func (s *Session) Group(use, short string, fallback func(*cobra.Command) error) *cobra.Command {
	return syntax.Group(use, short, s.Printer.Raw, fallback)
}

// Tilde shortens a path below the home folder, for people.
func (s *Session) Tilde(path string) string { return output.Tilde(s.Home, path) }

// Absolute makes a path that an owner typed independent of where it was typed.
func (s *Session) Absolute(path string) (string, error) { return roots.Absolute(s.Home, path) }

// Folders reads NAME=PATH flags, with paths that are independent of where they were
// typed. An empty path stays empty: no folder is meant.
func (s *Session) Folders(typed []string) (map[string]string, error) {
	folders, err := syntax.Pairs("--root", "NAME=PATH", typed)
	for name, path := range folders {
		if path != "" && err == nil {
			folders[name], err = s.Absolute(path)
		}
	}
	return folders, err
}
