package plugins

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

func inspectCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "inspect CONNECTOR", Short: "Show what a module is and asks for", Args: syntax.Takes("CONNECTOR"),
		ValidArgsFunction: s.CompleteConnector,
		RunE:              func(cmd *cobra.Command, args []string) error { return inspect(cmd.Context(), s, args[0]) },
	}
}

func inspect(ctx context.Context, s *session.Session, connector string) error {
	return s.Read(func(o *owner.Owner) error {
		i, err := connectors.Inspect(ctx, o, connector)
		if err != nil {
			return err
		}
		summary := fmt.Sprintf("%s %s  sha256 %s", show.Dash(i.Connector.Connector), show.Dash(i.Version), i.SHA256)
		text := func(w io.Writer) { writeInspection(s, w, i) }
		if i.Refusal == nil {
			return s.Printer.Result(summary, i, text)
		}
		if err := s.Printer.Failed(summary, i, s.Advised(i.Refusal), text); err != nil {
			return err
		}
		return i.Refusal
	})
}

func writeInspection(s *session.Session, w io.Writer, i *connectors.Inspection) {
	line := func(name, value string) { fmt.Fprintf(w, "%-12s %s\n", name, output.Clean(value)) }
	m := i.Parsed
	if m != nil {
		line("connector", fmt.Sprintf("%s %s  %s", m.ConnectorKey, m.Version, m.DisplayName))
	}
	line("file", s.Tilde(i.Path))
	line("sha256", i.SHA256)
	line("module", fmt.Sprintf("%s, ABI %d, %s, needs at least %s of memory", show.Dash(i.Kind), i.ABI, output.Bytes(i.SizeBytes), output.Binary(i.MemoryMinBytes)))
	if m != nil {
		for _, ask := range modules.Asks(m) {
			line(ask.What, ask.Value)
		}
		for _, s := range m.Streams {
			line("stream", fmt.Sprintf("%s  key %s  %s%s", s.Name, strings.Join(s.PrimaryKey, "+"), s.Semantics, policy(s)))
		}
	}
	for _, p := range i.PinnedBy {
		state := "runs this module"
		if !p.Same {
			state = "is pinned to another module, sha256 " + output.ShortHash(p.SHA256) + "; see: " + s.Advice("pdpp-host plugins verify "+syntax.Quoted(i.Name))
		}
		line("connection", p.Connection+" "+state)
	}
}

func policy(s abi.Stream) string {
	if s.Policy() == abi.CoverageCollect {
		return ""
	}
	return "  not collected: " + s.Policy()
}
