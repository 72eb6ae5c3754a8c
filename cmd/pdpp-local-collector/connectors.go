package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// connector is one module of the plugins folder.
type connector struct {
	Name     string          `json:"name"`
	ID       string          `json:"connector_id,omitempty"`
	Version  string          `json:"version,omitempty"`
	SHA256   string          `json:"sha256,omitempty"`
	Needs    []string        `json:"required_bindings,omitempty"`
	Runnable bool            `json:"runnable"`
	Problem  *output.Problem `json:"problem,omitempty"`
}

func (a *app) connectorsCommand() *cobra.Command {
	cmd := syntax.Group("connectors", "List the connectors that can run here, and accept and verify the one of a source", a.Printer.Raw, a.listConnectors)
	cmd.AddCommand(a.acceptCommand(), a.verifyCommand())
	return cmd
}

func (a *app) listConnectors(cmd *cobra.Command) error {
	c, rows, err := a.connectors(cmd.Context())
	if err != nil {
		return err
	}
	result := map[string]any{"dir": a.tilde(c.PluginsDir()), "connectors": rows}
	return a.Printer.Result(output.Plural(int64(len(rows)), "connector"), result, func(w io.Writer) { a.writeConnectors(w, c, rows) })
}

// advertiseCommand tells another program what this one can do.
func (a *app) advertiseCommand() *cobra.Command {
	return &cobra.Command{
		Use: "advertise", Short: "Say what this program can run, for other programs", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, rows, err := a.connectors(cmd.Context())
			if err != nil {
				return err
			}
			ids := []string{}
			for _, r := range rows {
				if r.Runnable {
					ids = append(ids, r.ID)
				}
			}
			result := struct {
				Runtime    string   `json:"runtime"`
				Bindings   []string `json:"bindings"`
				Protocol   string   `json:"collector_protocol_version"`
				Connectors []string `json:"bundled_connectors"`
			}{"collector", collector.Bindings(), device.ProtocolVersion, ids}
			return a.Printer.Result("collector, protocol "+device.ProtocolVersion, result, func(w io.Writer) {
				fmt.Fprintf(w, "runtime     collector, protocol %s\nbindings    %s\nconnectors  %s\n", device.ProtocolVersion,
					strings.Join(collector.Bindings(), ", "), dash(output.Clean(strings.Join(ids, ", "))))
			})
		},
	}
}

// connectors looks at every module of the plugins folder.
func (a *app) connectors(ctx context.Context) (*config.Config, []connector, error) {
	c, err := a.Configuration()
	if err != nil {
		return nil, nil, err
	}
	rows := []connector{}
	names, err := modules.Installed(c.PluginsDir())
	if err != nil || len(names) == 0 {
		return c, rows, err
	}
	if err := plugin.CheckDir(c.PluginsDir()); err != nil {
		return nil, nil, err
	}
	err = a.withEngine(c, func(engine *plugin.Engine) error {
		for _, name := range names {
			row := connector{Name: name}
			row.look(ctx, c, engine)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			rows = append(rows, row)
		}
		return nil
	})
	return c, rows, err
}

// look describes a module and holds what it needs against what is granted here.
func (r *connector) look(ctx context.Context, c *config.Config, engine *plugin.Engine) {
	file, err := modules.Open(c, r.Name, program+" connectors")
	if err != nil {
		r.Problem = output.ProblemOf(err)
		return
	}
	d, err := modules.Describe(ctx, engine, file)
	r.fill(d)
	if r.Problem = output.ProblemOf(err); err != nil {
		r.Runnable = false
	}
}

// fill takes over what is known of a module.
func (r *connector) fill(d *modules.Described) {
	r.SHA256 = d.File.SHA256
	if d.Manifest == nil {
		return
	}
	r.ID, r.Version = d.Manifest.ConnectorKey, d.Manifest.Version
	r.Needs, r.Runnable = collector.Runnable(d.Manifest)
}

func (a *app) writeConnectors(w io.Writer, c *config.Config, rows []connector) {
	if len(rows) == 0 {
		fmt.Fprintf(w, "no connectors in %s\n  copy a .wasm file there\n", output.Clean(a.tilde(c.PluginsDir())))
		return
	}
	cells := make([][]string, len(rows))
	for i, r := range rows {
		state := "runs here"
		switch {
		case r.Problem != nil:
			state = r.Problem.Message + " [" + r.Problem.Code + "]"
		case !r.Runnable:
			state = "runs on the host only: it needs " + strings.Join(r.Needs, ", ")
		}
		cells[i] = []string{r.Name, dash(r.Version), output.ShortHash(dash(r.SHA256)), state}
	}
	output.Table(w, a.Printer.Style, []string{"name", "version", "sha256", "state"}, cells)
}

// withEngine makes an engine, hands it to fn and closes it.
// withInstalled hands fn the installed module of a source, as it describes itself.
func (a *app) withInstalled(ctx context.Context, l *lane, fn func(*config.Config, *modules.Described) error) error {
	c, err := a.Configuration()
	if err != nil {
		return err
	}
	file, err := modules.Open(c, l.profile.ConnectorID, program+" connectors")
	if err != nil {
		return err
	}
	return a.withEngine(c, func(engine *plugin.Engine) error {
		d, err := modules.Describe(ctx, engine, file)
		if err != nil {
			return err
		}
		return fn(c, d)
	})
}

func (a *app) withEngine(c *config.Config, fn func(*plugin.Engine) error) error {
	if err := modules.MakePrivate(c.DataDir()); err != nil {
		return err
	}
	engine, err := modules.NewEngine(c, c.Isolation(), modules.CacheDir(c), a.Logger, a.Printer.Doing)
	if err != nil {
		return err
	}
	return errors.Join(fn(engine), engine.Close())
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
