package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/modules"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

// inspection is the result of `plugins inspect`.
type inspection struct {
	listed
	Imports        []string        `json:"imports"`
	MemoryMinBytes int64           `json:"memory_min_bytes"`
	PinnedBy       []pin           `json:"pinned_by"`
	Manifest       json.RawMessage `json:"manifest,omitempty"`
}

// pin is a connection that runs the connector, and whether it runs this module.
type pin struct {
	Connection string `json:"connection"`
	SHA256     string `json:"sha256"`
	Same       bool   `json:"same"`
}

func (a *app) pluginsInspect(ctx context.Context, connector string) error {
	return a.withModule(ctx, connector, func(c *config.Config, d *described, loadErr error) error {
		i := inspection{Imports: d.Info.Imports, MemoryMinBytes: d.Info.MemoryMinBytes, PinnedBy: []pin{}}
		i.Name, i.Path = d.File.Name, d.File.Path
		i.fill(d)
		i.Problem = problemOf(loadErr)
		if json.Valid(d.Raw) {
			i.Manifest = d.Raw
		}
		var err error
		if i.PinnedBy, err = a.pins(ctx, c, d); err != nil {
			return err
		}
		summary := fmt.Sprintf("%s %s  sha256 %s", dash(i.Connector), dash(i.Version), i.SHA256)
		text := func(w io.Writer) { a.writeInspection(w, &i, d.Manifest) }
		if loadErr != nil {
			if err := a.Printer.Failed(summary, i, a.advised(loadErr), text); err != nil {
				return err
			}
			return loadErr
		}
		return a.Printer.Result(summary, i, text)
	})
}

// pins lists the connections of d's connector. A store that does not exist yet
// is not made for it.
func (a *app) pins(ctx context.Context, c *config.Config, d *described) ([]pin, error) {
	pins := []pin{}
	if d.Manifest == nil || !exists(c.StorageDSN()) {
		return pins, nil
	}
	err := a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		connections, err := ownConnections(ctx, store)
		for _, conn := range connections {
			if abi.SameConnector(conn.Connector, d.Manifest.ConnectorKey) && conn.PinnedSHA256 != "" {
				pins = append(pins, pin{conn.Name, conn.PinnedSHA256, conn.PinnedSHA256 == d.File.SHA256})
			}
		}
		return err
	})
	return pins, err
}

func (a *app) writeInspection(w io.Writer, i *inspection, m *abi.Manifest) {
	line := func(name, value string) { fmt.Fprintf(w, "%-12s %s\n", name, output.Clean(value)) }
	if m != nil {
		line("connector", fmt.Sprintf("%s %s  %s", m.ConnectorKey, m.Version, m.DisplayName))
	}
	line("file", a.tilde(i.Path))
	line("sha256", i.SHA256)
	line("module", fmt.Sprintf("%s, ABI %d, %s, needs at least %s of memory", dash(i.Kind), i.ABI, output.Bytes(i.SizeBytes), output.Binary(i.MemoryMinBytes)))
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
			state = "is pinned to another module, sha256 " + output.ShortHash(p.SHA256) + "; see: " + a.advice("pdpp-host plugins verify "+quoted(i.Name))
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
