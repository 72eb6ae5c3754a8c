package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// listed is one row of `plugins list`.
type listed struct {
	Name      string   `json:"name"`
	Path      string   `json:"path"`
	Connector string   `json:"connector,omitempty"`
	Version   string   `json:"version,omitempty"`
	Title     string   `json:"title,omitempty"`
	SHA256    string   `json:"sha256,omitempty"`
	SizeBytes int64    `json:"size_bytes,omitempty"`
	Kind      string   `json:"kind,omitempty"`
	ABI       int      `json:"abi,omitempty"`
	Bindings  []string `json:"bindings,omitempty"`
	Reaches   []string `json:"reaches,omitempty"`  // hosts
	Reads     []string `json:"reads,omitempty"`    // the folders that it reads unless its owner names others
	Accepted  bool     `json:"accepted,omitempty"` // by the owner of a connection, this module
	Changed   bool     `json:"changed,omitempty"`  // a connection has accepted another module
	Problem   *problem `json:"problem,omitempty"`
}

// problem is why a module cannot run.
type problem = output.Problem

func problemOf(err error) *problem { return output.ProblemOf(err) }

func (a *app) pluginsList(ctx context.Context) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	dir := c.PluginsDir()
	names, err := installed(dir)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		if err := plugin.CheckDir(dir); err != nil {
			return err
		}
	}
	rows := make([]listed, 0, len(names))
	err = a.withAnyEngine(c, func(engine *plugin.Engine) error {
		for _, name := range names {
			row := listed{Name: name, Path: filepath.Join(dir, name+plugin.Extension)}
			file, err := plugin.Open(row.Path, c.ModuleBytes())
			if err == nil {
				var d *described
				d, err = describe(ctx, engine, file)
				row.fill(d)
				if err == nil {
					err = misnamed(name, d)
				}
			}
			if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), err)
			}
			row.Problem = problemOf(err)
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := a.markAccepted(ctx, c, rows); err != nil {
		return err
	}
	summary := fmt.Sprintf("%s in %s", output.Plural(int64(len(rows)), "connector"), a.tilde(dir))
	result := map[string]any{"dir": dir, "plugins": rows}
	return a.Printer.Result(summary, result, func(w io.Writer) { a.writeList(w, dir, rows) })
}

func (r *listed) fill(d *described) {
	r.SHA256, r.SizeBytes = d.File.SHA256, d.File.Size
	r.Kind, r.ABI = d.Info.Kind, d.Info.ABI
	if m := d.Manifest; m != nil {
		r.Connector, r.Version, r.Title = m.ConnectorKey, m.Version, m.DisplayName
		for name, b := range m.Requirements.Bindings {
			if !b.Required {
				name += " (optional)"
			}
			r.Bindings = append(r.Bindings, name)
		}
		slices.Sort(r.Bindings)
		if n := m.Requirements.Network; n != nil {
			for _, h := range n.Hosts {
				r.Reaches = append(r.Reaches, h.Host)
			}
		}
		if p := m.Requirements.LocalPaths; p != nil && p.HomeDefault != "" {
			r.Reads = append(r.Reads, "~/"+p.HomeDefault)
		}
	}
}

// asks is what the module asks for, in as few words as name the places.
func (r *listed) asks() string {
	var asks []string
	for _, binding := range r.Bindings {
		switch name, _, _ := strings.Cut(binding, " "); {
		case name == abi.BindingFilesystem && len(r.Reads) > 0:
			asks = append(asks, r.Reads...)
		case name == abi.BindingNetwork && len(r.Reaches) > 0:
			asks = append(asks, r.Reaches...)
		default:
			asks = append(asks, binding)
		}
	}
	return dash(strings.Join(asks, ", "))
}

// markAccepted finds the modules that an owner accepted, and those that a run would
// refuse because a connection has accepted another one.
func (a *app) markAccepted(ctx context.Context, c *config.Config, rows []listed) error {
	if !exists(c.StorageDSN()) {
		return nil
	}
	return a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		all, err := ownConnections(ctx, store)
		for _, conn := range all {
			for i := range rows {
				if rows[i].Connector == conn.Connector && conn.PinnedSHA256 != "" {
					same := conn.PinnedSHA256 == rows[i].SHA256
					rows[i].Accepted, rows[i].Changed = rows[i].Accepted || same, rows[i].Changed || !same
				}
			}
		}
		return err
	})
}

func (a *app) writeList(w io.Writer, dir string, rows []listed) {
	if len(rows) == 0 {
		fmt.Fprintf(w, "no connectors in %s\n  copy a .wasm file there, or run one by its path: %s\n", a.tilde(dir), a.advice("pdpp-host run ./NAME.wasm"))
		return
	}
	cells := make([][]string, len(rows))
	for i, r := range rows {
		state := "ready"
		switch {
		case r.Problem != nil:
			state = a.homely(r.Problem.Message) + " [" + r.Problem.Code + "]"
		case r.Changed:
			state = "changed, see: " + a.advice("pdpp-host plugins verify "+quoted(r.Name))
		case !r.Accepted:
			state = "not accepted, see: " + a.advice("pdpp-host plugins accept "+quoted(r.Name))
		}
		cells[i] = []string{
			r.Name, dash(r.Version), output.ShortHash(dash(r.SHA256)), output.Bytes(r.SizeBytes), r.asks(), state,
		}
	}
	output.Table(w, a.Printer.Style, []string{"name", "version", "sha256", "size", "asks for", "state"}, cells)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
