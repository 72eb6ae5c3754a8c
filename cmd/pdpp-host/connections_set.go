package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/send/call"
	"github.com/pdpp-host/pdpp-host/storage"
)

// setFlags are the flags of `connections set`, as typed.
type setFlags struct {
	roots, set, unset []string
	acceptRoot        bool
}

func (a *app) setCommand() *cobra.Command {
	var f setFlags
	cmd := &cobra.Command{
		Use: "set NAME", Short: "Change a connection's folders and options", Args: takes("NAME"),
		Long: "Changes what every run of a connection is made with. Another folder than its runs have read, or another address than\n" +
			"they have asked, needs --accept-root: what it lacks counts as deleted.",
		Example: "  pdpp-host connections set work --root ical=/mnt/calendars --accept-root\n" +
			"  pdpp-host connections set work --unset since",
		ValidArgsFunction: a.completeConnection,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.connectionsSet(cmd.Context(), args[0], f) },
	}
	p := cmd.Flags()
	p.StringArrayVar(&f.roots, "root", nil, "grant the folder `NAME=PATH` in every run (repeatable)")
	p.StringArrayVar(&f.set, "set", nil, "connector option `KEY=VALUE` for every run, never a secret (repeatable)")
	p.StringArrayVar(&f.unset, "unset", nil, "forget the option or the folder `KEY` (repeatable)")
	p.BoolVar(&f.acceptRoot, "accept-root", false, "another folder or address than before is meant")
	return cmd
}

func (a *app) connectionsSet(ctx context.Context, name string, f setFlags) error {
	roots, err := pairs("--root", "NAME=PATH", f.roots)
	if err != nil {
		return err
	}
	options, err := pairs("--set", "KEY=VALUE", f.set)
	if err != nil {
		return err
	}
	if len(roots)+len(options)+len(f.unset) == 0 {
		return usage("nothing is said to change", "say --root NAME=PATH, --set KEY=VALUE or --unset KEY; what there is: pdpp-host connections show "+quoted(name))
	}
	return a.withStore(ctx, func(c *config.Config, store *storage.Store) error {
		was, err := a.connection(ctx, store, name)
		if err == nil && was.Unreadable != nil {
			err = was.Unreadable // what is kept would be lost
		}
		if err == nil {
			err = fedOf(ctx, store, was.Name)
		}
		if err != nil {
			return err
		}
		own, changes, err := a.change(ctx, c, store, was, wanted{roots, options, f.unset, f.acceptRoot})
		if err != nil {
			return err
		}
		summary := was.Name + " has that already"
		if len(changes) > 0 {
			summary = "changed " + was.Name + ": " + strings.Join(changes, ", ")
		}
		result := map[string]any{"connection": viewConnection(own), "changed": append([]string{}, changes...)}
		return a.Printer.Result(summary, result, func(w io.Writer) {
			if !a.Flags.Quiet {
				fmt.Fprintln(w, output.Clean(summary))
			}
		})
	})
}

// wanted is what is said to change.
type wanted struct {
	roots, options map[string]string
	unset          []string
	acceptRoot     bool
}

// change changes a connection, and says what is another one now. What may be changed
// takes a module and folders to tell, too long to keep every other write waiting: when
// a run has kept something meanwhile it is told anew, of what the connection is then.
func (a *app) change(ctx context.Context, c *config.Config, store *storage.Store, was *storage.Connection, w wanted) (*storage.Connection, []string, error) {
	for {
		own := *was
		own.Roots, own.Options, own.ReadRoots = added(was.Roots, w.roots), added(was.Options, w.options), added(was.ReadRoots, nil)
		_, address := w.options[run.OptionBaseURL]
		x := ownChange{roots: sorted(w.roots), address: address, accept: w.acceptRoot}
		if err := x.forget(&own, w.unset); err != nil {
			return nil, nil, err
		}
		if err := a.mayHave(ctx, c, &own, w.options, x); err != nil {
			return nil, nil, err
		}
		changes := a.changes(was, &own)
		if len(changes) == 0 {
			return &own, nil, nil
		}
		same := false
		now, err := store.KeepConnection(ctx, was.ID, func(now *storage.Connection) error {
			same = maps.Equal(now.Roots, was.Roots) && maps.Equal(now.Options, was.Options) && maps.Equal(now.ReadRoots, was.ReadRoots)
			if same {
				now.Roots, now.Options, now.ReadRoots = own.Roots, own.Options, own.ReadRoots
			}
			return nil
		})
		if err != nil || same {
			return now, changes, err
		}
		was = now
	}
}

// ownChange is what of a connection is held against what its runs have read.
type ownChange struct {
	roots   []string // that were named or forgotten
	address bool     // whether base_url was
	accept  bool
}

// forget takes options and folders away from a connection.
func (x *ownChange) forget(own *storage.Connection, names []string) error {
	for _, name := range names {
		_, option := own.Options[name]
		_, root := own.Roots[name]
		switch {
		case option:
			delete(own.Options, name)
			x.address = x.address || name == run.OptionBaseURL
		case root:
			delete(own.Roots, name)
			x.roots = append(x.roots, name)
		default:
			has := append(sorted(own.Options), sorted(own.Roots)...)
			hint := "it has none of its own"
			if len(has) > 0 {
				hint = "it has: " + strings.Join(has, ", ")
			}
			return usage(fmt.Sprintf("connection %q has no option and no folder %q of its own", own.Name, name), hint)
		}
	}
	return nil
}

// checkBase refuses a base_url that no run would take, before it is kept and shown.
func checkBase(options map[string]string) error {
	if base := options[run.OptionBaseURL]; base != "" {
		return call.CheckBaseURL(base)
	}
	return nil
}

// mayHave refuses what a run of the connection would: an unknown folder, a secret,
// and what its owner has not accepted. What was accepted is what its runs are held
// against from then on.
func (a *app) mayHave(ctx context.Context, c *config.Config, own *storage.Connection, options map[string]string, x ownChange) error {
	m, err := a.manifestOf(ctx, c, own)
	if err != nil {
		return err
	}
	if secret := run.SecretOptions(m, options); len(secret) > 0 {
		return usage(fmt.Sprintf("%q is a credential of the connector, and no option", secret[0]),
			fmt.Sprintf("store it encrypted: pdpp-host connections credential set %s %s", quoted(own.Name), secret[0]))
	}
	if err := manifest.CheckOptions(m, options); err != nil {
		return err
	}
	if err := checkBase(options); err != nil {
		return err
	}
	if x.address {
		if _, known := own.ReadRoots[run.OriginRoot]; known {
			now := own.Options[run.OptionBaseURL]
			if err := x.held(own, nil, map[string]string{run.OptionBaseURL: now}); err != nil {
				return err
			}
			run.AskAt(own, now)
		}
	}
	if len(x.roots) == 0 {
		return nil
	}
	resolved, err := a.granted(c, m, own.Roots, own.Accepted)
	if err != nil {
		return err
	}
	var read []run.ResolvedRoot // those that its runs have read, as they are now
	for _, name := range x.roots {
		if path, named := own.Roots[name]; named {
			if own.Roots[name], err = a.absolute(path); err != nil {
				return err
			}
		}
		if _, known := own.ReadRoots[name]; !known {
			continue
		}
		at := slices.IndexFunc(resolved, func(r run.ResolvedRoot) bool { return r.Name == name })
		if at < 0 { // it is read no more
			resolved, at = append(resolved, run.ResolvedRoot{Name: name, Path: "none", Origin: "--unset", Empty: true}), len(resolved)
		}
		read = append(read, resolved[at])
	}
	if err := x.held(own, read, nil); err != nil {
		return err
	}
	run.ReadFrom(own, read)
	return nil
}

func (x *ownChange) held(own *storage.Connection, roots []run.ResolvedRoot, options map[string]string) error {
	if x.accept {
		return nil
	}
	return run.HeldAgainst(own, roots, options)
}

// changes says what is another one now. Options are told by name only: a value may
// be a secret (Invariant 5).
func (a *app) changes(was, own *storage.Connection) (said []string) {
	for _, root := range sorted(added(was.Roots, own.Roots)) {
		before, had := was.Roots[root]
		now, has := own.Roots[root]
		switch {
		case had && !has:
			said = append(said, "root "+root+" is forgotten, it was "+a.tilde(before))
		case had && now != before:
			said = append(said, "root "+root+" is "+a.tilde(now)+", it was "+a.tilde(before))
		case !had, was.ReadRoots[root] != own.ReadRoots[root]:
			said = append(said, "root "+root+" is "+a.tilde(now))
		}
	}
	for _, name := range sorted(added(was.Options, own.Options)) {
		before, had := was.Options[name]
		now, has := own.Options[name]
		switch {
		case had && !has:
			said = append(said, "option "+name+" is forgotten")
		case !had || now != before:
			said = append(said, "option "+name+" is set")
		}
	}
	if before, now := was.ReadRoots[run.OriginRoot], own.ReadRoots[run.OriginRoot]; before != now {
		if now == "" {
			now = "the provider's own address"
		}
		said = append(said, "it asks at "+now)
	}
	return said
}

// added is one map with another over it, and neither of them.
func added(base, over map[string]string) map[string]string {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, over)
	return out
}
