package main

import (
	"context"
	"os"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/progress"
	"github.com/pdpp-host/pdpp-host/cmd/internal/roots"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/interact"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// rootResolver grants folders, but never the host's own, nor a collector's.
func (a *app) rootResolver(c *config.Config) *roots.Resolver {
	private := append(collector.OwnFolders(collector.Env{Getenv: os.Getenv, Home: a.Home}), c.DataDir(), c.ProfilesDir())
	if dsn := c.StorageDSN(); !strings.Contains(dsn, "://") {
		private = append(private, dsn)
	}
	return roots.New(a.Home, private)
}

// asker is the terminal behind the port of host/run; nil when nobody can be
// asked. While a question stands, the progress display is off the screen.
func (a *app) asker(display *progress.Display, noInput bool, from interact.Connector) run.Asker {
	if noInput || !a.interactive() {
		return nil
	}
	console, ok := interact.NewConsole(a.In)
	if !ok {
		return nil
	}
	return &screenAsker{terminal: interact.New(console, a.Err, from), display: display}
}

type screenAsker struct {
	terminal *interact.Terminal
	display  *progress.Display
}

// Ask implements run.Asker.
func (s *screenAsker) Ask(ctx context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
	s.display.Suspend()
	defer s.display.Resume()
	return s.terminal.Ask(ctx, in)
}

// tilde shortens a path below the home folder, for people.
func (a *app) tilde(path string) string { return output.Tilde(a.Home, path) }
