package connectors

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Connector is an installed module, and what its manifest says in short.
type Connector struct {
	Name      string         `json:"name"`
	Path      string         `json:"path"`
	Connector string         `json:"connector,omitempty"`
	Version   string         `json:"version,omitempty"`
	Title     string         `json:"title,omitempty"`
	SHA256    string         `json:"sha256,omitempty"`
	SizeBytes int64          `json:"size_bytes,omitempty"`
	Kind      string         `json:"kind,omitempty"`
	ABI       int            `json:"abi,omitempty"`
	Bindings  []string       `json:"bindings,omitempty"`
	Reaches   []string       `json:"reaches,omitempty"`  // hosts
	Reads     []string       `json:"reads,omitempty"`    // the folders that it reads unless its owner names others
	Accepted  bool           `json:"accepted,omitempty"` // by the owner of a connection, this module
	Changed   bool           `json:"changed,omitempty"`  // a connection has accepted another module
	Problem   *words.Problem `json:"problem,omitempty"`  // why it cannot run
	OnDevice  bool           `json:"-"`                  // a device can run it
	Plan      Plan           `json:"-"`                  // how it gets connected
	Streams   int            `json:"-"`                  // how many it declares
	Uses      []Use          `json:"-"`                  // the connections of it that this host runs
}

// Use is a connection of a connector's.
type Use struct {
	ID, Name             string
	Accepted             bool // its owner has accepted a module
	CreatedAt, RevokedAt time.Time
}

// List lists the modules in the plugins folder. A module that cannot run is
// listed with its problem.
func List(ctx context.Context, o *owner.Owner) ([]Connector, error) {
	dir := o.Config.PluginsDir()
	names, err := modules.Installed(dir)
	if err == nil && len(names) > 0 {
		err = plugin.CheckDir(dir)
	}
	if err != nil {
		return nil, err
	}
	all := make([]Connector, 0, len(names))
	err = o.Engine(func(engine *plugin.Engine) error {
		for _, name := range names {
			c := Connector{Name: name, Path: filepath.Join(dir, name+plugin.Extension), Plan: noPlan}
			d, err := o.Modules.Glance(ctx, engine, c.Path, o.Config.ModuleBytes())
			if d != nil {
				c.fill(d)
			}
			if err == nil {
				err = modules.Misnamed(name, d)
			}
			if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), err)
			}
			c.Problem = words.ProblemOf(err)
			all = append(all, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, markAccepted(ctx, o, all)
}

func (c *Connector) fill(d *modules.Described) {
	c.SHA256, c.SizeBytes = d.File.SHA256, d.File.Size
	c.Kind, c.ABI = d.Info.Kind, d.Info.ABI
	m := d.Manifest
	if m == nil {
		return
	}
	c.Connector, c.Version, c.Title = m.ConnectorKey, m.Version, m.DisplayName
	c.Plan, c.Streams = planOf(m), len(m.Streams)
	for name, b := range m.Requirements.Bindings {
		if !b.Required {
			name += " (optional)"
		}
		c.Bindings = append(c.Bindings, name)
	}
	slices.Sort(c.Bindings)
	_, c.OnDevice = collector.Runnable(m)
	if n := m.Requirements.Network; n != nil {
		for _, h := range n.Hosts {
			c.Reaches = append(c.Reaches, h.Place())
		}
	}
	if b := m.Requirements.Browser; b != nil {
		for _, h := range b.Hosts {
			c.Reaches = append(c.Reaches, h.Host+h.Suffix)
		}
	}
	if p := m.Requirements.LocalPaths; p != nil && p.HomeDefault != "" {
		c.Reads = append(c.Reads, "~/"+p.HomeDefault)
	}
}

// markAccepted finds the modules that an owner accepted, and those that a run would
// refuse because a connection has accepted another one.
func markAccepted(ctx context.Context, o *owner.Owner, all []Connector) error {
	if !o.HasStore() {
		return nil
	}
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	connections, err := owner.OwnConnections(ctx, store)
	for _, conn := range connections {
		for i := range all {
			if all[i].Connector == conn.Connector {
				all[i].Uses = append(all[i].Uses, Use{conn.ID, conn.Name, conn.PinnedSHA256 != "", conn.CreatedAt, conn.RevokedAt})
			}
			if all[i].Connector == conn.Connector && conn.PinnedSHA256 != "" {
				same := conn.PinnedSHA256 == all[i].SHA256
				all[i].Accepted, all[i].Changed = all[i].Accepted || same, all[i].Changed || !same
			}
		}
	}
	return err
}

// ValidName reports whether name can be that of an installed connector.
func ValidName(name string) bool { return modules.ValidName(name) && !modules.IsPath(name) }
