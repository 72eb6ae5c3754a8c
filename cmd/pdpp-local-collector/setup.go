package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/modules"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// setUp is what setting up did: the enrollment, and what the connector would read.
type setUp struct {
	Object     string          `json:"object"` // local_collector_setup
	Enrollment *enrolled       `json:"enrollment"`
	Connector  *connector      `json:"connector"`
	Reads      []string        `json:"reads"`
	Ready      bool            `json:"ready"`
	Problem    *output.Problem `json:"problem,omitempty"`
}

func (a *app) setupCommand() *cobra.Command {
	var f enrollFlags
	var given []string
	cmd := &cobra.Command{
		Use: "setup", Short: "Enroll, and check that the connector can run here", Args: noCode,
		Long: "Enrolls this machine, and then checks that the connector is installed, can run here and finds its folders.\n" +
			"It collects nothing.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			roots, err := syntax.Pairs("--root", "NAME=PATH", given)
			if err != nil {
				return err
			}
			p, done, err := a.enroll(cmd.Context(), f)
			if err != nil {
				return err
			}
			s := &setUp{Object: "local_collector_setup", Enrollment: done, Reads: []string{}}
			return a.tellSetup(s, a.checkConnector(cmd.Context(), p, s, roots))
		},
	}
	f.add(cmd)
	cmd.Flags().StringArrayVar(&given, "root", nil, "look into the folder `NAME=PATH` (repeatable)")
	return cmd
}

// checkConnector holds the connector of a profile against this machine.
func (a *app) checkConnector(ctx context.Context, p *collector.Profile, s *setUp, given map[string]string) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	path, err := collector.LanePath(a.env(), p, "")
	if err != nil {
		return err
	}
	grants, err := a.grants(c, &lane{p, path})
	if err != nil {
		return err
	}
	file, err := modules.Open(c, p.ConnectorID, program+" connectors")
	if err != nil {
		return err
	}
	return a.withEngine(c, func(engine *plugin.Engine) error {
		d, err := modules.Describe(ctx, engine, file)
		if err != nil {
			return err
		}
		s.Connector = &connector{Name: p.ConnectorID}
		s.Connector.fill(d)
		if !s.Connector.Runnable {
			return abi.NewError(abi.CodeBindingMissing, "the connector cannot run here", "run it on the host, with: pdpp-host run "+p.ConnectorID)
		}
		found, err := grants.Resolve(d.Manifest, given)
		for _, r := range found {
			s.Reads = append(s.Reads, a.tilde(r.Path))
		}
		slices.Sort(s.Reads)
		return err
	})
}

func (a *app) tellSetup(s *setUp, problem error) error {
	e := s.Enrollment
	s.Ready, s.Problem = problem == nil, output.ProblemOf(a.homely(problem))
	text := func(w io.Writer) {
		if a.flags.quiet {
			return
		}
		a.writeEnrolled(w, e)
		if s.Connector != nil {
			fmt.Fprintf(w, "  connector %s %s\n", output.Clean(s.Connector.ID), output.Clean(s.Connector.Version))
		}
		for _, path := range s.Reads {
			fmt.Fprintf(w, "  reads     %s\n", output.Clean(path))
		}
		if s.Ready {
			a.writeNext(w, e)
		}
	}
	if problem == nil {
		return a.printer.Result(output.Clean("ready  "+e.ConnectorID), s, text)
	}
	if err := a.printer.Failed(output.Clean("enrolled, not ready  "+e.ConnectorID), s, a.homely(problem), text); err != nil {
		return err
	}
	return problem
}
