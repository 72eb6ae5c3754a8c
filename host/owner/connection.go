package owner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Connection is a connection as its owner sees it. Options are named without their
// values: a value may be a secret (Invariant 5).
type Connection struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Connector    string            `json:"connector"`
	Roots        map[string]string `json:"roots"`
	Options      []string          `json:"options"`
	BaseURL      string            `json:"base_url,omitempty"`    // where it asks instead of its provider
	ModulePath   string            `json:"module_path,omitempty"` // where its module is, if that was named by its path
	PinnedSHA256 string            `json:"pinned_sha256"`
	Revision     string            `json:"revision"` // of its folders and options: another one after each change
	CreatedAt    time.Time         `json:"created_at"`
	RevokedAt    *time.Time        `json:"revoked_at,omitempty"` // since when its owner lets nothing of it run
	Unreadable   bool              `json:"unreadable,omitempty"` // its roots and options, which are left out
	LastRun      *Run              `json:"last_run,omitempty"`
	Devices      []Feed            `json:"devices,omitempty"` // that run it; none: this host does
	Schedule     *Schedule         `json:"schedule,omitempty"`
	Verdict      *view.Brief       `json:"verdict,omitempty"`
	Streams      []Stream          `json:"streams,omitempty"`
	Checkpoints  []Checkpoint      `json:"checkpoints,omitempty"`
	OpenGaps     *int64            `json:"open_gaps,omitempty"`
	Credentials  []Credential      `json:"credentials,omitempty"`

	Destinations []storage.Destination `json:"destinations,omitempty"` // what was sent where, over all runs
}

// Stream is how much a connection has of one stream.
type Stream struct {
	Name    string `json:"name"`
	Records int64  `json:"records"`
	Deleted int64  `json:"deleted"`
	LastSeq int64  `json:"last_seq"`
}

// Checkpoint is where the next run of a stream goes on from.
type Checkpoint struct {
	Stream      string    `json:"stream"`
	Bookmark    string    `json:"bookmark"`
	RunID       string    `json:"run_id"`
	At          time.Time `json:"at"`
	Staged      bool      `json:"staged"`
	CursorBytes int       `json:"cursor_bytes"`
}

func connectionOf(c *storage.Connection) *Connection {
	base, _ := run.BaseURL(c)
	return &Connection{
		ID: c.ID, Name: c.Name, Connector: c.Connector, Roots: c.Roots, Options: sortedNames(c.Options),
		PinnedSHA256: c.PinnedSHA256, CreatedAt: c.CreatedAt, BaseURL: base,
		RevokedAt: Moment(c.RevokedAt), ModulePath: run.ModulePath(c), Unreadable: c.Unreadable != nil, Revision: revisionOf(c),
	}
}

func revisionOf(c *storage.Connection) string { return strconv.FormatInt(c.Revision, 10) }

// sortedNames are the keys of m in order; never nil.
func sortedNames(m map[string]string) []string {
	return slices.AppendSeq(make([]string, 0, len(m)), slices.Values(slices.Sorted(maps.Keys(m))))
}

// FindConnection finds a connection, or names the nearest one.
func FindConnection(ctx context.Context, store *storage.Store, name string) (*storage.Connection, error) {
	conn, err := store.Connection(ctx, name)
	if conn != nil && conn.Unreadable != nil {
		return conn, nil //nolint:nilerr // it can be looked at, and removed; a run refuses it
	}
	if abi.CodeOf(err) != abi.CodeConnectionUnknown || err == nil {
		return conn, err
	}
	all, listErr := store.ConnectionKeys(ctx, storage.ConnectionKeys{})
	if listErr != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	hint := "there are none yet: `pdpp-host plugins accept CONNECTOR` makes one"
	if n := abi.Nearest(name, names); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	} else if len(names) > 0 {
		hint = "there are: " + strings.Join(names, ", ")
	}
	return nil, abi.NewError(abi.CodeConnectionUnknown, fmt.Sprintf("there is no connection %q", name), hint).Wrap(err)
}

// Find opens the store and finds a connection in it.
func (o *Owner) Find(ctx context.Context, name string) (*storage.Store, *storage.Connection, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, nil, err
	}
	conn, err := FindConnection(ctx, store, name)
	return store, conn, err
}

// ManifestOf returns the manifest that the connection was accepted with, or before its
// first run that of the installed module.
func (o *Owner) ManifestOf(ctx context.Context, conn *storage.Connection) (*abi.Manifest, error) {
	if m := modules.Pinned(conn); m != nil {
		return m, nil
	}
	file, _, err := modules.Of(o.Config, conn)
	if err != nil {
		return nil, err
	}
	d, err := o.Describe(ctx, file)
	if err != nil {
		return nil, err
	}
	if !abi.SameConnector(d.Manifest.ConnectorKey, conn.Connector) {
		return nil, abi.NewError(abi.CodePluginUnknown, "the module "+file.Name+" is not of connector "+conn.Connector,
			"put the connector's module into the plugins folder under its own name, or run the connection once")
	}
	return d.Manifest, nil
}
