package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// plan is a run that may begin: everything that was checked and opened before it.
type plan struct {
	request    Request
	mode       string
	guest      *plugin.Guest
	raw        []byte // the manifest in its own bytes
	manifest   *abi.Manifest
	scope      abi.Scope
	narrowed   bool // the scope leaves out records of a stream that it names
	gate       *boundary.Gate
	connection *storage.Connection
	// lastAccepted has the folders and the base URL of the connection when the run was
	// checked against them, see acceptedSources.
	lastAccepted map[string]string
	first        bool // no run of the connection has begun before
	granted      *granted
	options      map[string]string
	details      *abi.DetailLimits
	secrets      Secrets
	rest         *rest
	network      *network
	browsing     Browsing // nil: the run has no browser
}

func (p *plan) close() {
	p.endBrowser()
	if p.network != nil {
		p.network.close()
	}
	_ = p.guest.Close()
}

// endBrowser ends the run's browser, where it has one.
func (p *plan) endBrowser() {
	if p.browsing != nil {
		_ = p.browsing.Close() // what it leaves behind is removed by the next start on its profile
	}
}

// heldCredentials says which credential fields have a value.
func (p *plan) heldCredentials() map[string]bool {
	if p.secrets != nil {
		return p.secrets.Held()
	}
	held := map[string]bool{}
	for _, c := range manifest.Credentials(p.manifest) {
		held[c.Name] = false
	}
	return held
}

// prepare checks everything that can be checked before a run exists: the
// module, its manifest, its pin, the bindings, the scope.
func (r *Runner) prepare(ctx context.Context, req Request) (*plan, error) {
	guest, err := r.deps.Engine.Load(ctx, req.Module, r.pinnedRoots(ctx, req)...)
	if err != nil {
		return nil, err
	}
	p := &plan{rest: &rest{now: r.deps.Now}, request: req, guest: guest, mode: cmp.Or(req.Mode, abi.ModeIncremental)}
	if err := r.check(ctx, p); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// check checks the module and its manifest, and then the connection.
func (r *Runner) check(ctx context.Context, p *plan) (err error) {
	if p.raw, err = p.guest.Describe(ctx); err != nil {
		return err
	}
	if p.manifest, err = manifest.Parse(p.raw); err != nil {
		return err
	}
	if err = plugin.CheckImports(p.guest.Info(), p.manifest); err != nil {
		return err
	}
	if err = plugin.CheckHosts(p.manifest); err != nil {
		return err
	}
	if p.scope, p.narrowed, err = resolveScope(p.manifest, p.request); err != nil {
		return err
	}
	if p.gate, err = boundary.New(p.manifest, p.scope); err != nil {
		return err
	}
	return r.connect(ctx, p)
}

// connect finds or makes the connection, compares the module with its pin, and matches
// bindings with the folders and options that the connection has.
func (r *Runner) connect(ctx context.Context, p *plan) error {
	name := cmp.Or(p.request.Connection, p.manifest.ConnectorKey)
	own, err := r.ownConnection(ctx, name, p.manifest)
	if err != nil {
		return err
	}
	allowed, err := r.checkAccepted(ctx, p, own)
	if err != nil {
		return err
	}
	if !isNew(own) && r.deps.Admit != nil && !p.request.Force {
		if err := r.deps.Admit(ctx, own.ID); err != nil {
			return err
		}
	}
	if err := r.match(ctx, p, own, allowed); err != nil {
		return err
	}
	if isNew(own) {
		p.connection, err = r.deps.Store.EnsureConnection(ctx, name, p.manifest.ConnectorKey)
	} else { // by its id: it may have another name by now
		p.connection, err = r.deps.Store.Connection(ctx, own.ID)
	}
	if err != nil {
		return err
	}
	if now := p.connection; now.PinnedSHA256 != own.PinnedSHA256 || !now.RevokedAt.Equal(own.RevokedAt) {
		return changedMeanwhile(now)
	}
	p.connection.Accepted = allowed
	p.gate.Grant(p.granted.folders()...)
	if p.granted.grant.Accounting, err = r.accounting(ctx, p); err != nil {
		return err
	}
	if err := r.openNetwork(ctx, p); err != nil {
		if isNew(own) { // a refused first run leaves no connection behind
			err = errors.Join(err, r.deps.Store.RemoveConnection(ctx, p.connection.ID, r.deps.HolderAlive))
		}
		return err
	}
	if err := r.pin(ctx, p); err != nil || r.deps.Described == nil {
		return err
	}
	return r.deps.Described(ctx, p.raw)
}

// ownConnection returns the connection of that name; for a new one its name alone. It
// refuses a connection of another connector.
func (r *Runner) ownConnection(ctx context.Context, name string, m *abi.Manifest) (*storage.Connection, error) {
	conn, err := r.deps.Store.Connection(ctx, name)
	switch {
	case abi.CodeOf(err) == abi.CodeConnectionUnknown:
		return &storage.Connection{Name: name}, nil
	case err != nil:
		return nil, err
	case !abi.SameConnector(conn.Connector, m.ConnectorKey):
		return nil, abi.NewError(abi.CodeConnectionInvalid,
			fmt.Sprintf("connection %q belongs to connector %q, not to %q", name, conn.Connector, m.ConnectorKey),
			"name another one with --connection")
	}
	return conn, nil
}

// isNew reports whether the store does not have the connection yet.
func isNew(own *storage.Connection) bool { return own.ID == "" }

// match decides the run's options, folders and bindings, and refuses those that are
// not the connection's own.
func (r *Runner) match(ctx context.Context, p *plan, own *storage.Connection, allowed []storage.AcceptedItem) error {
	req := &p.request
	if err := checkOptions(p.manifest, own.Name, own.Options, req.Options); err != nil {
		return err
	}
	options, err := keepBaseURL(own, merged(own.Options, req.Options), req.Options, req.AcceptRoot)
	if err != nil {
		return err
	}
	if p.first, err = r.neverRan(ctx, own); err != nil {
		return err
	}
	p.lastAccepted, p.options = acceptedSources(own), manifest.WithDefaults(p.manifest, options)
	if r.deps.Details != nil {
		p.details = r.deps.Details(p.manifest.ConnectorKey)
	}
	if p.granted, err = r.matchBindings(p.manifest, merged(own.Roots, req.Roots), allowed); err != nil || req.AcceptRoot {
		return err
	}
	return checkFolders(own, p.granted.roots)
}

// openNetwork opens the connection's secrets and the run's way to its provider.
func (r *Runner) openNetwork(ctx context.Context, p *plan) (err error) {
	if r.deps.Secrets != nil && hasCredentials(p.manifest) {
		if p.secrets, err = r.deps.Secrets(ctx, p.connection, p.manifest); err != nil {
			return err
		}
	}
	p.network = newNetwork(streamNames(p.scope), r.deps.Logger)
	if was, known := p.lastAccepted[baseURLKey]; known && was != p.options[OptionBaseURL] {
		p.network.adoptPending = func(ctx context.Context) error { return r.adoptBaseURL(ctx, p, was) }
	}
	browses := p.granted.grant.Bindings[abi.BindingBrowser]
	if !p.granted.grant.Bindings[abi.BindingNetwork] && !browses {
		return nil
	}
	cursors := map[string][]byte{}
	checkpoints, err := r.deps.Store.Checkpoints(ctx, p.connection.ID)
	if err != nil {
		return err
	}
	for _, cp := range checkpoints {
		if !cp.Staged && cp.Bookmark == bookmark(p.mode) {
			cursors[cp.Stream] = cp.Cursor
		}
	}
	var learned []byte
	if !p.request.Force {
		if learned, err = r.deps.Store.Learned(ctx, p.connection.ID); err != nil {
			return err
		}
	}
	p.network.sending, err = r.deps.Sender.Open(ctx, SendRun{
		Connection: p.connection, Manifest: p.manifest, Options: p.options, Secrets: p.secrets, Cursors: cursors, Learned: learned,
		MaxWall: p.request.MaxWall, Rested: p.rest.rested, Observer: p.network,
	})
	if err != nil || !browses {
		return err
	}
	p.browsing, err = r.deps.Browser.Open(ctx, BrowserRun{Connection: p.connection, Manifest: p.manifest, Secrets: p.secrets, Sending: p.network.sending})
	if err == nil && p.manifest.Requirements.Browser.HTTP {
		p.network.sending.Session(p.browsing.Cookies, p.browsing.SetCookies)
	}
	return err
}

// witness returns the context of a change that an owner makes by this run.
func (r *Runner) witness(ctx context.Context, change Change, p *plan) context.Context {
	if r.deps.Witness == nil {
		return ctx
	}
	return r.deps.Witness(ctx, change, p.connection.Name, p.request.Module.SHA256)
}

// pin stores the hash and the manifest of the first accepted module.
func (r *Runner) pin(ctx context.Context, p *plan) error {
	if p.connection.PinnedSHA256 == "" {
		return r.deps.Store.PinPlugin(r.witness(ctx, ChangeAccepts, p), p.connection.ID, p.request.Module.SHA256, p.raw, p.request.Allowed...)
	}
	return nil
}

// neverRan reports whether no run of the connection has begun before.
func (r *Runner) neverRan(ctx context.Context, own *storage.Connection) (bool, error) {
	if isNew(own) {
		return true, nil
	}
	runs, err := r.deps.Store.Runs(ctx, own.ID, 1)
	return len(runs) == 0, err
}

// merged returns base with the entries of over put over it; never nil.
func merged(base, over map[string]string) map[string]string {
	out := make(map[string]string, len(base)+len(over))
	maps.Copy(out, base)
	maps.Copy(out, over)
	return out
}

// bookmark keeps a back-fill's cursors apart from the incremental ones
// (PB-D10).
func bookmark(mode string) string {
	if mode == abi.ModeBackfill {
		return abi.ModeBackfill
	}
	return abi.ModeIncremental
}

// checkOptions refuses an option that the connector does not have, or of another
// type, both of the options typed for this run and of those that the connection has
// kept since an earlier module had them: the connector would ignore what its owner
// meant.
func checkOptions(m *abi.Manifest, connection string, kept, typed map[string]string) error {
	if err := noSecretOption(m, merged(kept, typed)); err != nil {
		return err
	}
	if err := manifest.CheckOptions(m, typed); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if _, anew := typed[name]; anew {
			continue
		}
		if e, refused := errors.AsType[*abi.Error](manifest.CheckOptions(m, map[string]string{name: kept[name]})); refused {
			return abi.NewError(e.Code, e.Message+", and the connection keeps one", "set it anew, or forget it: pdpp-host connections set "+
				connection+" --unset "+name+"   a collector forgets it with: run --set "+name+"=").WithDetail(e.Hint)
		}
	}
	return nil
}

// noSecretOption refuses an option by the name of a credential: options are stored
// in plain text. The error does not repeat the value.
func noSecretOption(m *abi.Manifest, options map[string]string) error {
	for _, name := range SecretOptions(m, options) {
		return abi.NewError(abi.CodeUsage, fmt.Sprintf("%q is a credential of the connector, and no option", name),
			"store it encrypted: pdpp-host connections credential set CONNECTION "+name)
	}
	return nil
}

// SecretOptions returns the names of options that are the connector's
// credentials: by a field or by a variable, in small letters too, wherever the
// manifest names one as a secret.
func SecretOptions(m *abi.Manifest, options map[string]string) []string {
	known := manifest.SecretNames(m)
	var out []string
	for name := range options {
		if known[name] {
			out = append(out, name)
		}
	}
	return out
}
