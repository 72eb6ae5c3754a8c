package run

import (
	"cmp"
	"fmt"
	"strings"

	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/progress"
	"github.com/pdpp-host/pdpp-host/cmd/internal/roots"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/interact"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// watch shows the run on the screen while it goes on, and asks there what it asks.
func watch(s *session.Session, o *owner.Owner, attended bool) func(*run.Request) running.Watch {
	grants := s.Resolver(o.Config)
	o.Folders = grants
	return func(r *run.Request) running.Watch {
		display := progress.New(s.Err, s.Printer.ErrStyle, func() (int, int) { return screen(s) }, func(u run.Update) string {
			return header(s, o.Config, u, grants)
		})
		w := running.Watch{Asker: asker(s, display, attended, interact.Connector{
			Name: cmp.Or(r.Connection, r.Module.Name), File: s.Tilde(r.Module.Path),
		})}
		if !s.Flags.Quiet {
			w.Observe = display.Observe
			s.LogTo.Swap(display)
		}
		s.Stop.During(func() {
			fmt.Fprintln(display, "stopping: the connector winds up, what was collected is kept; Ctrl-C again ends it at once")
		}, display.Finish)
		w.End = func() {
			display.Finish()
			s.Stop.During(nil, nil)
			if !s.Flags.Quiet {
				s.LogTo.Swap(s.Err)
			}
		}
		return w
	}
}

// header is the line above a run: what runs, and what it may reach.
func header(s *session.Session, c *config.Config, u run.Update, grants *roots.Resolver) string {
	roots := grants.Resolved()
	network := "no network"
	if len(u.Hosts) > 0 {
		network = "reaches " + strings.Join(u.Hosts, " and ") + " only"
	}
	reach := []string{modules.SandboxOf(c.Isolation(), plugin.Walls()).Brief, output.Binary(c.MemoryBytes()), network}
	for _, secret := range u.Secrets {
		reach = append(reach, "sends "+secret)
	}
	for _, r := range roots {
		reach = append(reach, "reads "+s.Tilde(r.Path))
	}
	if len(roots) == 0 {
		reach = append(reach, "reads no files")
	}
	return output.Clean(fmt.Sprintf("%s %s  sha256 %s  sandbox: %s", u.Connector, u.Version, output.ShortHash(u.SHA256), strings.Join(reach, ", ")))
}

// screen is the size of the screen now; rows are 0 when they are unknown.
func screen(s *session.Session) (columns, rows int) {
	if w, h, err := term.GetSize(int(s.Err.Fd())); err == nil && w > 0 {
		return w, h
	}
	return s.Printer.ErrStyle.Width, 0
}
