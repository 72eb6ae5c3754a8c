package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// verified is a source's connector held against the module that is installed now.
type verified struct {
	*collector.Verified

	Changes []modules.Change `json:"changes"`
	AsksFor []string         `json:"asks_for"`
}

func (a *app) verifyCommand() *cobra.Command {
	var f laneFlags
	var accept bool
	cmd := &cobra.Command{
		Use: "verify", Short: "Hold the connector of a source against what was accepted, and accept a changed one", Args: syntax.Takes(),
		Long: "Compares the module that a source ran with before with the installed one, and shows what changed in what it\n" +
			"asks for. With --accept the installed module becomes the accepted one.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.lane(f)
			if err != nil {
				return err
			}
			v, err := a.verify(cmd.Context(), l, accept)
			if err != nil {
				return err
			}
			return a.tellVerified(v)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&accept, "accept", false, "accept the installed module")
	return cmd
}

func (a *app) verify(ctx context.Context, l *lane, accept bool) (*verified, error) {
	v := &verified{Changes: []modules.Change{}, AsksFor: []string{}}
	return v, a.withInstalled(ctx, l, func(_ *config.Config, d *modules.Described) error {
		col, err := a.collector(l)
		if err != nil {
			return err
		}
		if v.Verified, err = col.Verify(ctx, d.Manifest, d.File.SHA256, d.Raw, accept); err != nil {
			return err
		}
		if old, err := manifest.Parse(v.PinnedManifest); err == nil && v.Pinned != v.Found {
			v.Changes = modules.Changes(old, d.Manifest)
		}
		for _, k := range modules.Asks(d.Manifest) {
			v.AsksFor = append(v.AsksFor, k.String())
		}
		return nil
	})
}

func (a *app) tellVerified(v *verified) error {
	text := func(w io.Writer) { a.writeVerified(w, v) }
	if v.State != collector.ModuleChanged {
		return a.Printer.Result(output.Clean("verified  "+v.ConnectorID), v, text)
	}
	err := abi.NewError(abi.CodePluginChanged, "the module is not the accepted one",
		"when you trust it: "+program+" connectors verify --source-instance-id "+v.SourceInstanceID+" --accept").
		WithDetail(fmt.Sprintf("found sha256 %s, accepted is %s", output.ShortHash(v.Found), output.ShortHash(v.Pinned)))
	if printErr := a.Printer.Failed(output.Clean("changed  "+v.ConnectorID), v, err, text); printErr != nil {
		return printErr
	}
	return err
}

func (a *app) writeVerified(w io.Writer, v *verified) {
	words := map[string]string{
		collector.ModuleSame: "is the accepted one", collector.ModuleChanged: "has changed", collector.ModuleAccepted: "is accepted now",
		collector.ModuleNotPinned: "waits to be accepted",
	}
	fmt.Fprintf(w, "%s  module %s\n", a.Printer.Style.Bold(output.Clean(v.ConnectorID)), words[v.State])
	if v.State == collector.ModuleSame {
		return
	}
	if v.Pinned != "" {
		fmt.Fprintf(w, "  sha256 %s, was %s\n", v.Found, output.Clean(v.Pinned))
	}
	for _, c := range v.Changes {
		fmt.Fprintf(w, "  %s\n", output.Clean(c.String()))
	}
	if len(v.Changes) == 0 && v.Pinned != "" {
		fmt.Fprintln(w, "  its manifest asks for the same as before")
	}
	for _, k := range v.AsksFor {
		fmt.Fprintf(w, "  asks for: %s\n", output.Clean(k))
	}
}
