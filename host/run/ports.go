package run

import (
	"context"
	"log/slog"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// RootResolver finds the folders of the filesystem binding. given holds the
// operator's own choices by root name, accepted what the connection's owner accepted
// by name. It returns an *abi.Error files.* when a root cannot be granted.
type RootResolver interface {
	Resolve(m *abi.Manifest, given map[string]string, accepted []storage.AcceptedItem) ([]ResolvedRoot, error)
}

// ResolvedRoot is one folder to mount: Name as the guest sees it, Path on the
// host, Origin, which says who chose it, and Empty when nothing is in it.
type ResolvedRoot struct {
	Name   string
	Path   string
	Origin string
	Empty  bool
}

// Asker puts an interaction to the owner and blocks until it is answered, ctx
// ends, or the interaction's own timeout passes (then the status is
// abi.ResponseTimeout). It is called from one goroutine at a time. An error
// means that the answer cannot be used at all.
type Asker interface {
	Ask(ctx context.Context, in abi.Interaction) (abi.InteractionResponse, error)
}

// Deps is everything a Runner works with. All fields but Roots, Asker, Sender,
// Secrets, Admit, Details, Collect, the hooks behind it, Observe and Logger are
// required.
type Deps struct {
	Store  *storage.Store
	Engine *plugin.Engine
	Roots  RootResolver // nil: no filesystem binding can be granted
	Asker  Asker        // nil: nobody can be asked
	Sender Sender       // nil: no network binding can be granted
	// Secrets opens the secrets of a connection; nil: there are none.
	Secrets func(ctx context.Context, conn *storage.Connection, m *abi.Manifest) (Secrets, error)
	// Admit may refuse a run of a connection that has run before, such as one
	// that cools down; nil: none is refused. A forced run is not asked.
	Admit func(ctx context.Context, connection string) error
	// Details returns the owner's bound on a connector's detail lanes, nil for
	// none (RT-16.1); nil: there is none.
	Details func(connector string) *abi.DetailLimits
	// Collect runs the guest over its host, so that a recorder can stand between
	// them; nil: as it is.
	Collect func(ctx context.Context, g *plugin.Guest, grant plugin.Grant, h plugin.Host) plugin.Exit
	// Described is told the connector's manifest, in its own bytes, when a run is
	// about to begin. An error refuses the run; nil: nobody is told.
	Described func(ctx context.Context, manifest []byte) error
	// Accepted sees each record that has passed the boundary. It is quick, and keeps
	// nothing that it was given; nil: nobody sees them.
	Accepted func(stream string, key, data []byte, deleted bool)
	// Budget is asked after each slice that was committed whether the run may go on
	// to the next unit; a reason is a planned stop, which leaves what is committed
	// as it is (LC-02.1). It is quick; nil: the run may always go on.
	Budget      func() abi.Reason
	Now         func() time.Time  // the wall clock
	NewID       func() string     // a new run id, never repeated
	Holder      string            // who holds this process's leases
	HolderAlive func(string) bool // whether the holder of another lease still lives
	Observe     func(Update)      // progress, a few times a second; nil: unobserved
	Logger      *slog.Logger      // nil: discarded
}

// Request is one run to make.
type Request struct {
	Connection string // "": the connector's key
	Module     *plugin.File
	Streams    []string // empty: every stream that the manifest means to collect
	Mode       string   // abi.ModeIncremental when empty
	Since      time.Time
	// Boundary says that every run of the connection has the same Since: its cursors
	// leave nothing out that another run would collect, and are committed.
	Boundary   bool
	Resources  map[string][]string
	Roots      map[string]string // absolute; the connection's own from then on
	Options    map[string]string // the connection's own when it is its first run
	ModulePath string            // where later runs find the module; "": under its own name
	// Accept says that the owner has accepted the module, with what is in Allowed by
	// name: it is pinned when the run may begin. Without it a connection that has no
	// pin is refused. One that has is held to it, whatever stands here.
	Accept     bool
	Allowed    []storage.AcceptedItem
	AcceptRoot bool          // another folder than before, or an emptied one, is meant
	Timeout    time.Duration // 0: the engine's limit alone
	Force      bool          // run in spite of a cooldown, and try gaps that are not due yet
	// MaxWall is how long the run may go on asking; 0: unbounded. It ends before
	// Timeout does, so that the run closes its books.
	MaxWall time.Duration
}

// Update is the state of a run in progress, for a progress display.
type Update struct {
	Connector, Version, RunID, SHA256 string
	Streams                           []StreamUpdate
	Message                           string // of the guest's last PROGRESS
	Count, Total                      int64
	Unit                              string
	Elapsed                           time.Duration
	Final                             bool
	Hosts                             []string // that the run may reach; none without the network
	Secrets                           []string // where each secret may go, as manifest.SecretPlace says it
	Requests                          RequestCounts
	Rate                              *Rate // nil: pacing is off, or the run has no network
	Now                               time.Time
	WaitUntil                         time.Time // when the next request goes; zero or past: no wait
	WaitAsked                         bool      // the provider asked for that wait
}

// StreamUpdate counts one stream's records; all but Rejected are durable.
type StreamUpdate struct {
	Name                                       string
	New, Changed, Unchanged, Deleted, Rejected int64
}
