package run

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Deps is everything a Runner works with. All fields but Roots, Asker, Sender,
// Browser, Secrets, Admit, Witness, Details, Collect, the hooks behind it, Observe and Logger are
// required.
type Deps struct {
	Store   *storage.Store
	Engine  *plugin.Engine
	Roots   RootResolver // nil: no filesystem binding can be granted
	Asker   Asker        // nil: nobody can be asked
	Sender  Sender       // nil: no network binding can be granted
	Browser Browser      // nil: no browser binding can be granted
	// Secrets opens the secrets of a connection; nil: there are none.
	Secrets func(ctx context.Context, conn *storage.Connection, m *abi.Manifest) (Secrets, error)
	// Admit may refuse a run of a connection that has run before, such as one
	// that cools down; nil refuses none. A forced run is not asked.
	Admit func(ctx context.Context, connectionID string) error
	// Witness returns a context with which the store keeps who made a change that an
	// owner makes by running: the module's acceptance, and the beginning of the run. nil:
	// nobody's changes are kept so.
	Witness func(ctx context.Context, change Change, connection, moduleSHA256 string) context.Context
	// Details returns the owner's bound on a connector's detail lanes, nil for
	// none (RT-16.1). A nil Details bounds nothing.
	Details func(connector string) *abi.DetailLimits
	// Collect runs the guest over its host, so that a recorder can stand between
	// them. nil means Guest.Collect.
	Collect func(ctx context.Context, g *plugin.Guest, grant plugin.Grant, h plugin.Host) plugin.Exit
	// Described is told the connector's manifest, in its own bytes, when a run is
	// about to begin. An error refuses the run; nil: it is not called.
	Described func(ctx context.Context, manifest []byte) error
	// Accepted sees each record that has passed the boundary. It is quick, and keeps
	// none of its arguments; nil: nobody sees them.
	Accepted func(stream string, key, data []byte, deleted bool)
	// Began is told that a run has begun: its lease is held, and it is in the store. It is
	// called before the first Observe; nil: it is not called.
	Began func(Began)
	// Stopping is closed when the host winds up: the run ends as one that was interrupted
	// after the next slice that it commits. nil: it never is.
	Stopping <-chan struct{}
	// Budget is asked after each slice that was committed whether the run may go on
	// to the next unit; a reason is a planned stop, which leaves the committed slices
	// as they are (LC-02.1). It is quick; nil: the run may always go on.
	Budget      func() abi.Reason
	Now         func() time.Time  // the wall clock
	NewID       func() string     // a new run id, never repeated
	Holder      string            // who holds this process's leases
	HolderAlive func(string) bool // whether the holder of another lease still lives
	Observe     func(Update)      // progress, a few times a second; nil: unobserved
	Logger      *slog.Logger      // nil: discarded
}

// Began is a run that has begun.
type Began struct {
	RunID, ConnectionID, Connection string
	Connector, Version, Mode        string
	Streams                         []string // in the manifest's order
	At                              time.Time
}

// Request is one run to make.
type Request struct {
	Connection string // its name or its id; "": the connector's key
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
	// Accept says that the owner has accepted the module, with the items of Allowed by
	// name: it is pinned when the run may begin. Without it a connection that has no
	// pin is refused. A connection that has a pin keeps it, whatever Accept says.
	Accept     bool
	Allowed    []storage.AcceptedItem
	AcceptRoot bool // the owner means another folder than before, or an emptied one
	// AcceptDeletions is the owner's word that any number of records may be deleted that an
	// enumeration no longer meets. AcceptRoot has it too.
	AcceptDeletions bool
	Timeout         time.Duration // 0: the engine's limit alone
	Force           bool          // run in spite of a cooldown, and try gaps that are not due yet
	// MaxWall is how long the run may go on asking; 0: unbounded. It ends before
	// Timeout does, so that the run closes its books.
	MaxWall time.Duration
}

// Change is something that an owner changes by running a connection.
type Change string

// The owner's changes that come with running a connection.
const (
	ChangeAccepts Change = "accepts" // the module
	ChangeBegins  Change = "begins"  // the run
)

// RootResolver finds the folders of the filesystem binding. given holds the
// operator's own choices by root name, accepted the items that the connection's owner
// accepted by name. It returns an *abi.Error files.* when a root cannot be granted.
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

// PageAsker is an Asker whose owner can act on a page of the run's browser. AskOn asks so; the
// answer comes from page as well.
type PageAsker interface {
	Asker
	AskOn(ctx context.Context, in abi.Interaction, page handoff.Surface) (abi.InteractionResponse, error)
}

// Sender opens the network binding of a run. An error refuses the run before it
// begins: an *abi.Error for a manifest or an option that cannot be used.
type Sender interface {
	Open(ctx context.Context, s SendRun) (Sending, error)
}

// SendRun is the run that a Sending is for.
type SendRun struct {
	Connection *storage.Connection
	Manifest   *abi.Manifest
	Options    map[string]string
	Secrets    Secrets              // nil: there are none
	Cursors    map[string][]byte    // committed, by stream; for the learned rate
	Learned    []byte               // what earlier runs had SendingObserver.PauseLearned keep; nil: nothing, or the owner insists
	MaxWall    time.Duration        // no request begins later than that after the first; 0: unbounded
	Rested     func() time.Duration // how long the run has rested so far, which MaxWall does not count
	Observer   SendingObserver      // nil: nobody watches
	// Hide is told of cookies before the answer that sets them, for a recording; nil: nobody is.
	Hide func(name, value string)
}

// Sending is the network binding of one run: the one way of its guest to the
// provider (RT-20, RT-23). Safe for concurrent use. Its types are abi's, so that a
// session of host/send is a Sending as it is.
type Sending interface { //nolint:interfacebloat // one thing with one owner: no part of it is another's
	// Do answers the http operation: it calls reply once and returns after that.
	// It never fails: a failure is an answer. It answers soon after ctx has ended.
	// The memory that it holds of large answers is bounded until reply returns.
	Do(ctx context.Context, request []byte, reply func(answer []byte))
	Counts() abi.RequestCounts
	Destinations() []abi.Destination
	// Carry sends a request that next carries, once: paced and counted like one of Do, and
	// neither repeated nor followed when it is redirected.
	Carry(ctx context.Context, req *http.Request, next http.RoundTripper) error
	// Count is Carry for what waits for nothing and is counted alone.
	Count(ctx context.Context, req *http.Request, next http.RoundTripper) error
	// Session lends requests without a credential the session of a browser: they carry what cookies
	// returns, and set is given what answers set. It is called before the first request.
	Session(
		cookies func(ctx context.Context, u *url.URL) ([]*http.Cookie, error),
		set func(ctx context.Context, u *url.URL, cookies []*http.Cookie) (kept bool, err error),
	)
	// Failure is how a guest reads an error of Carry.
	Failure(err error) abi.HTTPFailure
	// Learned returns a stream's cursor with the learned rate on it, where the
	// manifest names that stream and the run collects it; otherwise the cursor as it
	// is (RT-26). streams are the run's.
	Learned(stream string, streams []string, cursor abi.Raw) (abi.Raw, error)
	// Pressure is the reason of the last request that ended under source pressure,
	// "" when none did, and the moment from which the provider lets the next request
	// through, zero when it named none. A budget or a cap is no pressure (RT-24).
	Pressure() (reason abi.Reason, next time.Time)
	// Standing is what SendingObserver.PauseLearned would be told now, and the part of until that
	// the provider asked for.
	Standing() (until, told time.Time, reason abi.Reason, learned []byte)
	// Asleep reports whether all that the run has under way waits for the end of a pause.
	Asleep() bool
	// Stopped is the planned stop of the run's sending, such as
	// abi.ReasonRequestCapReached; "" when there was none.
	Stopped() abi.Reason
	// Trouble is why a host did not answer well, and which; "" when each did.
	Trouble() (cause abi.Cause, host string)
	Hosts() []string           // that it reaches: first the host of base_url, if any, and then those of the manifest
	Rate() *abi.CollectionRate // nil: pacing is off (RT-27.2)
	Close()
}

// Browser opens the browser binding of runs.
type Browser interface {
	// Missing says why this machine has no browser for what a connector needs; nil: it has one.
	Missing(needs *abi.BrowserRequirements) error
	// Open opens the binding of one run. The browser starts when it is first used.
	Open(ctx context.Context, b BrowserRun) (Browsing, error)
}

// BrowserRun is the run that a Browsing is for.
type BrowserRun struct {
	Connection *storage.Connection
	Manifest   *abi.Manifest
	Secrets    Secrets // nil: there are none
	Sending    Sending // the one governor of the run's requests
	Sealer     Sealer  // nil: what ends with the browser is not kept
	// Hide is told of cookies before an answer that may have them, for a recording; nil: nobody is.
	Hide func(name, value string)
}

// Secret returns the value of a credential's field, and whether the manifest lets it be seen.
func (b *BrowserRun) Secret(ctx context.Context, field string) (value string, public, ok bool, err error) {
	if b.Secrets == nil {
		return "", false, false, nil
	}
	value, ok, err = b.Secrets.Value(ctx, field)
	return value, !manifest.SecretNames(b.Manifest)[field], ok, err
}

// Sealer seals what a browser keeps of a connection between two runs.
type Sealer interface {
	Seal(ctx context.Context, plain []byte) ([]byte, error)
	Unseal(ctx context.Context, sealed []byte) ([]byte, error)
}

// Browsing is the browser binding of one run. Safe for concurrent use.
type Browsing interface { //nolint:interfacebloat // one thing with one owner, as Sending is
	// Do starts a request of the browser operation and returns. reply is called once, from
	// any goroutine, and not after Close has returned. An error refuses the request.
	Do(request []byte, reply func(answer []byte)) error
	// Watch is called before Do: fail ends the run by what its browser does to it, and again
	// says that another run may do better. tell keeps an event of the run.
	Watch(fail func(why error, again bool), tell func(event string, data map[string]any))
	// Submits is called before Do: keep is told before a secret of the owner's can be sent to a
	// site, and returns when that is durable; and again when the site has let the run in. A
	// secret that it refuses is not sent.
	Submits(keep func(ctx context.Context, submitted bool) error)
	// Lease is called before Do: told is called when the run begins to wait for its browser,
	// with the code of what it waits for, and with "" when it has it.
	Lease(told func(waits abi.Code, profile string))
	// Fault is what the browser itself failed at in this run; nil: it did not.
	Fault() error
	// Submitted reports whether a secret of the owner's was sent to a site that has not let
	// the run in since.
	Submitted() bool
	// Sent reports whether one was sent, whatever the connector says of what came of it.
	Sent() bool
	// Ready says why a code is not to be asked for: the page that it is for is gone. nil: the page is
	// there, or no sign-in is open.
	Ready(ctx context.Context) error
	// Asking tells that the owner is asked, or no longer.
	Asking(open bool)
	// Keep takes an answer of the owner's that the guest does not get: a code that the host
	// types itself. false: it is the guest's.
	Keep(kind string, data map[string]string) bool
	// HandOver hands the page of an interaction over to its owner, until its Back.
	HandOver(ctx context.Context, h *abi.Handoff) (handoff.Page, error)
	// Cookies are those that the browser would send to an address of the provider.
	Cookies(ctx context.Context, u *url.URL) ([]*http.Cookie, error)
	// SetCookies keeps cookies of an answer to a request beside the browser, which had those of
	// Cookies; false: the address is not the provider's.
	SetCookies(ctx context.Context, u *url.URL, cookies []*http.Cookie) (kept bool, err error)
	// Refused returns the hosts that pages asked for and did not get to, each with how often,
	// and how often hosts did that have no row of their own.
	Refused() (names map[string]int, others int)
	// Close ends the browser, and answers everything in flight. It may be called again.
	Close() error
}

// SendingObserver is told the steps of sending that an owner may want to see. It is
// quick and safe for concurrent use.
type SendingObserver interface {
	// Waiting says that the next request goes at until, and whether the provider
	// asked for that or the pace does.
	Waiting(until time.Time, asked bool)
	RateChanged(rate *abi.CollectionRate)
	CircuitChanged(change abi.Raw) // as provider_budget of a PROGRESS (PB-D6)
	// PauseDisbelieved says that the provider named a pause that is too long to be
	// meant.
	PauseDisbelieved()
	// PauseLearned is told what the next run has to know: until when nothing is sent, and why, and
	// what its SendRun.Learned is. It returns when that is durable (AC-13); the wait follows.
	PauseLearned(until time.Time, reason abi.Reason, learned []byte)
}

// Secrets are the secrets of one connection. Safe for concurrent use. Values
// reach the provider through Sending and nothing else (Invariant 5).
type Secrets interface {
	Held() map[string]bool // by credential field: whether there is a value
	Value(ctx context.Context, field string) (value string, ok bool, err error)
	// BindRun names the run that may Replace. It is called once, before any other
	// method is called from the run's requests.
	BindRun(w *storage.RunWriter)
	// Replace stores renewed values over those that the run has read, durable when it
	// returns. It fails when the run has lost its lease, or when another process has
	// stored a value since.
	Replace(ctx context.Context, values map[string]string) error
	// Keep stores the values that an owner typed in answer to a question.
	Keep(ctx context.Context, values map[string]string) error
}
