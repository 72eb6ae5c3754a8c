package plugins

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
)

func installCommand(s *session.Session) *cobra.Command {
	var replace bool
	cmd := &cobra.Command{
		Use: "install PATH", Short: "Put a module into the plugins folder", Args: syntax.Takes("PATH"),
		Long: "Copies a .wasm file into the plugins folder under its connector's name, once it has told what it asks for. Nothing runs\n" +
			"it before it is accepted.",
		RunE: func(cmd *cobra.Command, args []string) error { return install(cmd.Context(), s, args[0], replace) },
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "in the place of another module of its connector")
	return cmd
}

func install(ctx context.Context, s *session.Session, typed string, replace bool) error {
	path, err := s.Absolute(typed)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return abi.NewError(abi.CodePluginUnknown, "there is no such file, or it cannot be read", "name a connector's .wasm file").WithDetail(path).Wrap(err)
	}
	defer f.Close() //nolint:errcheck // read-only
	return s.Change(func(o *owner.Owner) error {
		i, err := connectors.Install(ctx, o, connectors.Installation{Module: f, Replace: replace})
		if err != nil {
			return err
		}
		return s.Printer.Result("installed "+i.Connector+" "+i.Version, i, func(w io.Writer) {
			if s.Flags.Quiet {
				return
			}
			verb := "installed"
			if i.Unchanged {
				verb = "already installed:"
			}
			fmt.Fprintln(w, output.Clean(verb+" "+i.Connector+" "+i.Version+"  sha256 "+i.SHA256))
			fmt.Fprintln(w, s.Advice("to let it run: pdpp-host plugins accept "+syntax.Quoted(i.Name)))
		})
	})
}
