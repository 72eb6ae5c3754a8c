package owner

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/send/traffic"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Folders decides which folders a connector may read.
type Folders interface {
	run.RootResolver
	modules.FolderLooker
}

// Consent asks for the owner's word for a module. Ask returns what is accepted by name:
// items, and what the owner adds to those and to before. It returns
// modules.ErrNotAccepted when the owner declines, or nobody can be asked.
type Consent interface {
	Ask(ctx context.Context, t *modules.Terms, items, before []storage.AcceptedItem) ([]storage.AcceptedItem, error)
}

// Browser is the browser of this machine that connectors use.
type Browser interface {
	run.Browser

	// Forget removes what the sites of a connection have left here (BR-02.4).
	Forget(ctx context.Context, connector, connection string) error
	// SignIn shows a window of it, until its owner closes that or ctx ends, with what the next
	// run finds.
	SignIn(ctx context.Context, b run.BrowserRun) (*BrowserVisit, error)
	// Slots is how many browsers may run at once.
	Slots() int
	// Profiles returns the profiles of connections, with their sizes, and the folder they are in.
	Profiles() (dir string, all []BrowserProfile, err error)
	// Captures returns what was captured of the pages of a connection, the oldest first, and
	// Capture the text of one of them (BR-19). SweepCaptures removes what is too old.
	Captures(connector, connection string) ([]BrowserCapture, error)
	Capture(connector, connection, id string) ([]byte, error)
	SweepCaptures() error
	// Find returns the program that would be started, or browser.missing.
	Find() (program string, err error)
	// Prove starts it with a profile that is removed again, and returns what that has shown:
	// that its requests are governed, have one way out, and that its pages are confined.
	Prove(ctx context.Context, program string) (*BrowserProof, error)
}

// BrowserVisit is what an owner's window has come to.
type BrowserVisit struct {
	Cookies int      // that the connector's hosts have left
	Refused []string // hosts that its pages asked for and did not get to
}

// BrowserProfile is what the sites of a connection have left here.
type BrowserProfile struct {
	Name  string
	Bytes int64
}

// BrowserCapture is a capture of a page that is kept.
type BrowserCapture struct {
	ID    string    `json:"capture"`
	At    time.Time `json:"at"`
	Bytes int64     `json:"bytes"`
}

// BrowserProof is what a start of the browser has shown.
type BrowserProof struct {
	Product     string // as in "Chrome/156.0.8078.79"
	Unsandboxed bool   // the operator allows it
	Shown       bool   // the system shows that its pages are in its sandbox
}

// Deps are what operations work with.
type Deps struct {
	Config *config.Config
	Open   func(context.Context) (*storage.Store, error) // called when an operation needs the store
	// Show opens a store that takes no writes, for a server to show. If Show is nil, such a store is not
	// shown.
	Show    func(ctx context.Context, why error) (*storage.Store, error)
	Engine  func(use func(*plugin.Engine) error) error // makes an engine for as long as use runs
	Folders Folders
	Vault   vault.Options
	Actor   Actor // who asks for the operations
	Now     func() time.Time
	Random  io.Reader
	Getenv  func(string) string
	Home    string // the owner's home folder; "": unknown
	Logger  *slog.Logger
	Traffic *traffic.Traffic // counts what runs send; nil: nobody does
	Modules *modules.Memory  // what modules said so far; nil: each is asked again
	Browser Browser          // nil: nobody asks about it
	// Handoffs are the pages that runs of this process hand over to their owner; nil: none does.
	Handoffs *handoff.Registry
	// Away remembers the starts of runs that were refused while the store takes no writes; nil:
	// this process does not last.
	Away *TurnedAway
	// PutRight is told when an owner has put right what runs may wait for; nil: this process
	// schedules nothing.
	PutRight func()
}

// Owner carries out operations. Its methods are for one goroutine at a time.
type Owner struct {
	Deps

	store  *storage.Store // nil: not opened so far
	reader *read.Reader   // of the store
	shared bool           // the store is another Owner's to close
}

// New returns an Owner. Close it to close the store.
func New(d Deps) *Owner { return &Owner{Deps: d} }

// Store returns the store, which is opened when it is first asked for.
func (o *Owner) Store(ctx context.Context) (*storage.Store, error) {
	store, err := o.StoreAsItIs(ctx)
	if err != nil && o.GiveBack(err) { // what makes room can be asked for again
		store, err = o.StoreAsItIs(ctx)
	}
	return store, err
}

// StoreAsItIs is Store that makes no room on a full disk.
func (o *Owner) StoreAsItIs(ctx context.Context) (*storage.Store, error) {
	if o.store != nil {
		return o.store, nil
	}
	store, err := o.Open(ctx)
	if err != nil {
		return nil, err
	}
	o.has(store)
	return store, nil
}

// StoreToShow returns the store that Store could not open because it takes no writes: the disk has no
// room for one, or the folder is read-only. Each write of it is refused with why. Any other why is
// returned as it is.
func (o *Owner) StoreToShow(ctx context.Context, why error) (*storage.Store, error) {
	code := abi.CodeOf(why)
	if o.Show == nil || code != abi.CodeStoreFull && (code != abi.CodeStoreUnavailable || !o.storeReadOnly()) {
		return nil, why
	}
	store, err := o.Show(ctx, why)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	o.has(store)
	return store, nil
}

// LetGo closes the store, where one was opened: Store opens it again.
func (o *Owner) LetGo() error {
	err := o.Close()
	o.store, o.reader = nil, nil
	return err
}

// has is given the open store.
func (o *Owner) has(store *storage.Store) {
	o.store = store
	o.reader = &read.Reader{Store: store, Index: index.New(store, o.Random), Now: o.Now, Random: o.Random, Ranked: new(read.Rankings)}
	if o.Config != nil {
		o.reader.Kept = o.Config.History()
		o.reader.Index.Kept = o.reader.Kept
	}
}

// Reader returns what reads the records of the store, as far as they are indexed. The
// command line waits for the index as long as it takes, a page for a moment, and a program longer.
func (o *Owner) Reader(ctx context.Context) (*read.Reader, error) {
	if _, err := o.Store(ctx); err != nil {
		return nil, err
	}
	r := *o.reader
	switch o.Actor.Face {
	case CommandLine:
	case BrowserSession:
		r.Wait = read.PageWait
	default:
		r.Wait = read.Wait
	}
	return &r, nil
}

// As returns an Owner for the requests of another actor over o's open store and one engine.
// It costs no more than its memory, so that each request of a face has its own. It is safe
// to call while o works; o closes the store.
func (o *Owner) As(a Actor, engine *plugin.Engine) *Owner {
	d := o.Deps
	d.Actor, d.Engine = a, func(use func(*plugin.Engine) error) error { return use(engine) }
	return &Owner{Deps: d, store: o.store, reader: o.reader, shared: true}
}

// TellPutRight tells the scheduler of this process that runs may go on.
func (o *Owner) TellPutRight() {
	if o.PutRight != nil {
		o.PutRight()
	}
}

// Close closes the store, where one was opened.
func (o *Owner) Close() error {
	if o.store == nil || o.shared {
		return nil
	}
	return o.store.Close()
}

// Describe loads a module and checks what can be checked before it runs.
func (o *Owner) Describe(ctx context.Context, file *plugin.File) (d *modules.Described, err error) {
	err = o.Engine(func(engine *plugin.Engine) error {
		d, err = o.Modules.Describe(ctx, engine, file)
		return err
	})
	return d, err
}

// DescribeAny is Describe for a module that may not run: refusal says why, and d has
// what is known of it.
func (o *Owner) DescribeAny(ctx context.Context, file *plugin.File) (d *modules.Described, refusal, err error) {
	err = o.Engine(func(engine *plugin.Engine) error {
		d, refusal = o.Modules.Describe(ctx, engine, file)
		return nil
	})
	return d, refusal, err
}

// usage is a usage.invalid error.
func usage(message, hint string) *abi.Error { return abi.NewError(abi.CodeUsage, message, hint) }
