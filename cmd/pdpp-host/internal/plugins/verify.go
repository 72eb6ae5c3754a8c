package plugins

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
)

func verifyCommand(s *session.Session) *cobra.Command {
	var v connectors.Verification
	cmd := &cobra.Command{
		Use: "verify [CONNECTOR]", Short: "Hold modules against what was accepted, and accept a changed one", Args: syntax.Takes("[CONNECTOR]"),
		Long: "Compares each connection's pinned module with the installed one and shows what changed in what it asks for.\n" +
			"With --accept the installed module becomes the accepted one. A connection's first module is accepted with plugins accept.",
		ValidArgsFunction: s.CompleteConnector,
		RunE: func(cmd *cobra.Command, args []string) error {
			v.Module = strings.Join(args, "")
			return verify(cmd.Context(), s, v)
		},
	}
	cmd.Flags().BoolVar(&v.Accept, "accept", false, "accept the installed module")
	cmd.Flags().StringVar(&v.Connection, "connection", "", "only the connection `NAME`")
	return cmd
}

func verify(ctx context.Context, s *session.Session, v connectors.Verification) error {
	var rows []connectors.Verified
	do := s.Read
	if v.Accept {
		do = s.Change
	}
	if err := do(func(o *owner.Owner) (err error) {
		rows, err = connectors.Verify(ctx, o, v)
		return err
	}); err != nil {
		return err
	}
	return tellVerified(s, rows)
}

func tellVerified(s *session.Session, rows []connectors.Verified) error {
	text := func(w io.Writer) {
		if len(rows) == 0 {
			fmt.Fprintln(w, "no connection runs this connector yet: accept it with pdpp-host plugins accept")
		}
		for _, v := range rows {
			writeVerified(w, s.Printer.Style, v)
		}
	}
	result := map[string]any{"connections": rows}
	if rows == nil {
		result["connections"] = []connectors.Verified{}
	}
	changed, bad := 0, 0
	first, firstBroken := connectors.Verified{}, connectors.Verified{}
	for _, v := range rows {
		switch {
		case v.State == connectors.ModuleChanged:
			if changed++; changed == 1 {
				first = v
			}
		case v.Refusal != nil:
			if bad++; bad == 1 {
				firstBroken = v
			}
		}
	}
	switch {
	case changed == 0 && bad == 0:
		return s.Printer.Result(output.Plural(int64(len(rows)), "connection")+" verified", result, text)
	case changed == 0:
		if printErr := s.Printer.Failed(output.Plural(int64(bad), "module")+" cannot be used", result, s.Advised(firstBroken.Refusal), text); printErr != nil {
			return printErr
		}
		return firstBroken.Refusal
	}
	err := abi.NewError(abi.CodePluginChanged, fmt.Sprintf("the module of connection %q is not the accepted one", first.Connection),
		"when you trust it: pdpp-host plugins verify "+syntax.Quoted(first.Named)+" --accept").
		WithDetail(fmt.Sprintf("found sha256 %s, accepted is %s", output.ShortHash(first.Found), output.ShortHash(first.Pinned)))
	if printErr := s.Printer.Failed(fmt.Sprintf("%d changed", changed), result, s.Advised(err), text); printErr != nil {
		return printErr
	}
	return err
}

func writeVerified(w io.Writer, s output.Style, v connectors.Verified) {
	if v.State == connectors.ModuleMissing {
		fmt.Fprintf(w, "%s  %s\n", s.Bold(output.Clean(v.Connection)), show.NoModule(v.Connector))
		return
	}
	if v.State == connectors.ModuleBroken {
		fmt.Fprintf(w, "%s  %s [%s]\n", s.Bold(output.Clean(v.Module)), output.Clean(v.Problem.Message), v.Problem.Code)
		return
	}
	words := map[string]string{
		connectors.ModuleSame: "is the accepted one", connectors.ModuleChanged: "has changed", connectors.ModuleAccepted: "is accepted now", connectors.ModuleNotPinned: "waits to be accepted",
	}
	fmt.Fprintf(w, "%s  module %s %s\n", s.Bold(output.Clean(v.Connection)), output.Clean(filepath.Base(v.Module)), words[v.State])
	if v.State == connectors.ModuleSame {
		return
	}
	if v.Pinned != "" {
		fmt.Fprintf(w, "  sha256 %s, was %s\n", v.Found, v.Pinned)
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
