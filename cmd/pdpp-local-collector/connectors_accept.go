package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/cmd/internal/consent"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/storage"
)

// acceptFlags are the flags of what accepts a module, as typed.
type acceptFlags struct {
	allow  []string
	accept bool
}

func (f *acceptFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.allow, "allow", nil, "accept `KIND=NAME` too, as in folder=~/.ssh (repeatable)")
	cmd.Flags().BoolVar(&f.accept, "accept", false, "accept the connector, and do not ask")
}

// acceptance is what was accepted for a source.
type acceptance struct {
	Object           string                 `json:"object"` // local_collector_acceptance
	SourceInstanceID string                 `json:"source_instance_id"`
	ConnectorID      string                 `json:"connector_id"`
	Version          string                 `json:"version"`
	SHA256           string                 `json:"sha256"`
	AsksFor          []string               `json:"asks_for"`
	ByName           []storage.AcceptedItem `json:"accepted_by_name"`
	Left             []storage.AcceptedItem `json:"not_accepted"` // asked for by name
}

func (a *app) acceptCommand() *cobra.Command {
	var lane laneFlags
	var f acceptFlags
	cmd := &cobra.Command{
		Use: "accept", Short: "Accept the connector of a source before it runs, with what it asks for", Args: syntax.Takes(),
		Long: "Shows everything that the connector of a source asks for, and accepts it: the source runs the accepted module\n" +
			"and no other. On a terminal you are asked first; elsewhere it takes --accept.\n\n" +
			"A folder where other programs keep secrets is accepted by its name, with --allow.",
		Example: "  " + program + " connectors accept\n  " + program + " connectors accept --allow folder=~/.ssh",
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.lane(lane)
			if err != nil {
				return err
			}
			return a.acceptInstalled(cmd.Context(), l, f)
		},
	}
	lane.add(cmd)
	f.add(cmd)
	return cmd
}

// acceptInstalled accepts the installed module of a source.
func (a *app) acceptInstalled(ctx context.Context, l *lane, f acceptFlags) error {
	return a.withInstalled(ctx, l, func(c *config.Config, d *modules.Described) error {
		col, err := a.collector(l)
		if err != nil {
			return err
		}
		given, before, err := col.Lane(ctx, d.File.SHA256)
		if err != nil {
			return err
		}
		t, err := modules.TermsWith(d, a.grants(c, l), given)
		if err != nil {
			return err
		}
		done, err := a.accept(ctx, l, col, t, f, before)
		if err != nil {
			return err
		}
		return a.Printer.Result(output.Clean("accepted  "+done.ConnectorID), done, func(w io.Writer) {
			if !a.Flags.Quiet {
				a.writeAccepted(w, done)
				a.writeNext(w, "run", l.profile.SourceInstanceID)
			}
		})
	})
}

// accept shows the terms of a source's module, asks for the owner's word unless that
// was typed, and accepts it.
func (a *app) accept(ctx context.Context, l *lane, col *collector.Collector, t *modules.Terms, f acceptFlags, before []storage.AcceptedItem) (*acceptance, error) {
	items, err := t.Allow(f.allow, a.Home)
	if err != nil {
		return nil, err
	}
	for i := range t.Asks {
		if t.Asks[i].What == "schedule" {
			t.Asks[i].Value = "runs when you run it, or a timer of yours does"
		}
	}
	t.Asks = append(t.Asks, modules.Ask{What: "delivers", Value: "everything it collects to " + l.profile.BaseURL})
	switch {
	case !f.accept && !a.interactive():
		return nil, a.notAsked(l, t, f)
	case !f.accept:
		ask := consent.Asker{Program: program, In: a.In, Err: a.Err, Tilde: a.tilde}
		if items, err = ask.Ask(ctx, t, items, before); err != nil {
			return nil, err
		}
	case !a.Flags.Quiet:
		consent.Write(a.Err, t, a.tilde)
	}
	m, sha256 := t.Module.Manifest, t.Module.File.SHA256
	done := &acceptance{
		Object: "local_collector_acceptance", SourceInstanceID: l.profile.SourceInstanceID, ConnectorID: m.ConnectorKey,
		Version: m.Version, SHA256: sha256, ByName: []storage.AcceptedItem{}, Left: []storage.AcceptedItem{},
	}
	all, err := col.Accept(ctx, m, sha256, t.Module.Raw, items)
	if err != nil {
		return nil, err
	}
	done.ByName = append(done.ByName, all...)
	for _, ask := range t.Asks {
		done.AsksFor = append(done.AsksFor, a.short(ask.String()))
	}
	for _, ask := range t.Left(all) {
		done.Left = append(done.Left, ask.ByName)
	}
	return done, nil
}

// notAsked shows what a module gets, and refuses to take silence for its owner's word.
func (a *app) notAsked(l *lane, t *modules.Terms, f acceptFlags) error {
	if !a.Flags.Quiet {
		consent.Write(a.Err, t, a.tilde)
	}
	return modules.NotAsked(program+" connectors accept --source-instance-id "+l.profile.SourceInstanceID, f.allow)
}

func (a *app) writeAccepted(w io.Writer, done *acceptance) {
	fmt.Fprintf(w, "accepted %s\n", output.Clean(done.ConnectorID+" "+done.Version))
	for _, item := range done.Left {
		fmt.Fprintf(w, "  not accepted: %s; accept it with: %s connectors accept --source-instance-id %s --allow %s\n", output.Clean(item.String()),
			program, output.Clean(done.SourceInstanceID), output.Clean(syntax.Quoted(item.String())))
	}
}

// interactive reports whether somebody can be asked.
func (a *app) interactive() bool { return term.IsTerminal(int(a.In.Fd())) }
