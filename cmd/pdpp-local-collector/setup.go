package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// setUp is what setting up did: the enrollment, and what the connector would read.
type setUp struct {
	Object     string          `json:"object"` // local_collector_setup
	Enrollment *enrolled       `json:"enrollment"`
	Connector  *connector      `json:"connector"`
	Reads      []string        `json:"reads"`
	Accepted   *acceptance     `json:"accepted"` // nil: its owner has not accepted it
	Ready      bool            `json:"ready"`
	Problem    *output.Problem `json:"problem,omitempty"`
}

func (a *app) setupCommand() *cobra.Command {
	var f enrollFlags
	var accept acceptFlags
	var rootFlags, setFlags []string
	cmd := &cobra.Command{
		Use: "setup", Short: "Enroll, accept the connector, and check that it can run here", Args: noCode,
		Long: "Enrolls this machine, shows what the connector asks for and asks whether you accept it, and checks that it can\n" +
			"run here and finds its folders. It collects nothing. Folders and options that are given are kept for the runs.\n" +
			"Where nobody can be asked, --accept accepts the connector.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			folders, options, err := a.parseSources(rootFlags, setFlags)
			if err != nil {
				return err
			}
			p, done, err := a.enroll(cmd.Context(), f)
			if err != nil {
				return err
			}
			s := &setUp{Object: "local_collector_setup", Enrollment: done, Reads: []string{}}
			return a.tellSetup(s, a.checkConnector(cmd.Context(), p, s, folders, options, accept))
		},
	}
	f.add(cmd)
	accept.add(cmd)
	cmd.Flags().StringArrayVar(&rootFlags, "root", nil, "grant the folder `NAME=PATH` to its runs (repeatable)")
	cmd.Flags().StringArrayVar(&setFlags, "set", nil, "connector option `KEY=VALUE` of its runs, never a secret (repeatable)")
	return cmd
}

// checkConnector holds the connector of a profile against this machine, keeps the
// folders and options that were given for its runs, and has its owner accept it.
func (a *app) checkConnector(ctx context.Context, p *profile.Profile, s *setUp, folders, options map[string]string, f acceptFlags) error {
	path, err := profile.LanePath(a.env(), p, "")
	if err != nil {
		return err
	}
	l := &lane{p, path}
	return a.withInstalled(ctx, l, func(c *config.Config, d *modules.Described) error {
		grants := a.grants(c, l)
		s.Connector = &connector{Name: p.ConnectorID}
		s.Connector.fill(d)
		if !s.Connector.Runnable {
			return abi.NewError(abi.CodeBindingMissing, "the connector cannot run here", "run it on the host, with: pdpp-host run "+p.ConnectorID)
		}
		t, err := modules.TermsWith(d, grants, folders)
		if err != nil {
			return err
		}
		col, err := a.collector(l)
		if err != nil {
			return err
		}
		if err := col.Keep(ctx, d.Manifest, folders, options); err != nil {
			return err
		}
		if !f.accept && !a.interactive() {
			return col.NotAccepted()
		}
		s.Accepted, err = a.accept(ctx, l, col, t, f, nil)
		if errors.Is(err, modules.ErrNotAccepted) {
			return col.NotAccepted()
		}
		if err != nil {
			return err
		}
		found, err := grants.Resolve(d.Manifest, folders, s.Accepted.ByName)
		for _, r := range found {
			s.Reads = append(s.Reads, a.tilde(r.Path))
		}
		slices.Sort(s.Reads)
		return col.Advised(err)
	})
}

func (a *app) tellSetup(s *setUp, problem error) error {
	e := s.Enrollment
	s.Ready, s.Problem = problem == nil, output.ProblemOf(a.homely(problem))
	text := func(w io.Writer) {
		if a.Flags.Quiet {
			return
		}
		a.writeEnrolled(w, e)
		if s.Connector != nil {
			fmt.Fprintf(w, "  connector %s %s\n", output.Clean(s.Connector.ID), output.Clean(s.Connector.Version))
		}
		for _, path := range s.Reads {
			fmt.Fprintf(w, "  reads     %s\n", output.Clean(path))
		}
		next := "run"
		if s.Accepted == nil {
			next = "connectors accept"
		} else {
			a.writeAccepted(w, s.Accepted)
		}
		if s.Ready {
			a.writeNext(w, next, e.SourceInstanceID)
		} else { // the code is used: there is nothing to set up again
			fmt.Fprintf(w, "  enrolled; put right what follows, then: %s %s --source-instance-id %s\n", program, next, output.Clean(e.SourceInstanceID))
		}
	}
	if problem == nil {
		return a.Printer.Result(output.Clean("ready  "+e.ConnectorID), s, text)
	}
	if err := a.Printer.Failed(output.Clean("enrolled, not ready  "+e.ConnectorID), s, a.homely(problem), text); err != nil {
		return err
	}
	return problem
}
