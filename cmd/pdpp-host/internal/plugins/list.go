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
)

func listCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the connectors in the plugins folder", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), s) },
	}
}

func list(ctx context.Context, s *session.Session) error {
	return s.Read(func(o *owner.Owner) error {
		all, err := connectors.List(ctx, o)
		if err != nil {
			return err
		}
		dir := o.Config.PluginsDir()
		summary := fmt.Sprintf("%s in %s", output.Plural(int64(len(all)), "connector"), s.Tilde(dir))
		return s.Printer.Result(summary, map[string]any{"dir": dir, "plugins": all}, func(w io.Writer) { writeList(s, w, dir, all) })
	})
}

// asks says what a module asks for, in as few words as name the places.
func asks(r *connectors.Connector) string {
	var all []string
	for _, binding := range r.Bindings {
		switch name, _, _ := strings.Cut(binding, " "); {
		case name == abi.BindingFilesystem && len(r.Reads) > 0:
			all = append(all, r.Reads...)
		case name == abi.BindingNetwork && len(r.Reaches) > 0:
			all = append(all, r.Reaches...)
		default:
			all = append(all, binding)
		}
	}
	return show.Dash(strings.Join(all, ", "))
}

func writeList(s *session.Session, w io.Writer, dir string, rows []connectors.Connector) {
	if len(rows) == 0 {
		fmt.Fprintf(w, "no connectors in %s\n  copy a .wasm file there, or run one by its path: %s\n", s.Tilde(dir), s.Advice("pdpp-host run ./NAME.wasm"))
		return
	}
	cells := make([][]string, len(rows))
	for i := range rows {
		r := &rows[i]
		state := "ready"
		switch {
		case r.Problem != nil:
			state = s.Homely(r.Problem.Message) + " [" + r.Problem.Code + "]"
		case r.Changed:
			state = "changed, see: " + s.Advice("pdpp-host plugins verify "+syntax.Quoted(r.Name))
		case !r.Accepted:
			state = "not accepted, see: " + s.Advice("pdpp-host plugins accept "+syntax.Quoted(r.Name))
		}
		cells[i] = []string{
			r.Name, show.Dash(r.Version), output.ShortHash(show.Dash(r.SHA256)), output.Bytes(r.SizeBytes), asks(r), state,
		}
	}
	output.Table(w, s.Printer.Style, []string{"name", "version", "sha256", "size", "asks for", "state"}, cells)
}
