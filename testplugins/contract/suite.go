package contract

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Options is one module to check against the contract.
type Options struct {
	File    *plugin.File
	Engine  *plugin.Engine    // runs the module for every clause
	Second  *plugin.Engine    // the other isolation mode, for isolation.same; nil skips that clause
	Roots   map[string]string // folders to grant, by root name; a root not named here is an empty folder
	Options map[string]string // connector options for every run
	Items   map[string]int64  // how many items the source has, by stream; a stream not named here is not held to a number
	Dir     string            // where to work; "" is a temporary folder, removed afterwards
	Timeout time.Duration     // bounds each run; 0 is ten minutes
	// Sender lets the module reach its provider; nil: a module that needs the
	// network is not run.
	Sender run.Sender
	// Browser is what a module drives that needs a browser; nil: it is not run.
	Browser run.Browser
	// Getenv has the values of a connector's credentials, by its key and the variable;
	// nil, or no value: any will do. Nobody has accepted the module yet.
	Getenv func(connector, variable string) string
	Now    func() time.Time // nil: the system's clock
	// Observe is called with each clause as soon as it is judged, by Check's goroutine,
	// and a second time when a second attempt judged it differently. nil: nobody
	// watches.
	Observe func(Clause)
}

// Check runs the suite. The error means that the suite itself could not work; a module
// that fails a clause is a Report. It writes only below Options.Dir.
func Check(ctx context.Context, o Options) (*Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "pdpp-contract-")
		if err != nil {
			return nil, fmt.Errorf("a folder to work in: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.Dir = dir
	}
	notified := map[string]Outcome{}
	return withinOneDay(o.Now, func() (*Report, error) { return once(ctx, o, newReport(o.Observe, notified)) })
}

// withinOneDay makes one attempt, and a second one, which counts, when the first failed
// and a date of UTC ended meanwhile: a connector may emit a record for each day, so a
// run of the next day differs from the run it is compared with.
func withinOneDay(now func() time.Time, attempt func() (*Report, error)) (*Report, error) {
	date := func() string { return now().UTC().Format(time.DateOnly) }
	began := date()
	r, err := attempt()
	if err != nil || len(r.Failed()) == 0 || date() == began {
		return r, err
	}
	return attempt()
}

// once is one attempt at every clause.
func once(ctx context.Context, o Options, r *Report) (*Report, error) {
	r.Module, r.SHA256 = o.File.Name, o.File.SHA256
	m := described(ctx, o, r)
	if m == nil {
		r.skipUnjudged()
		return r, ctx.Err()
	}
	if err := manifest.CheckOptions(m, o.Options); err != nil {
		return r, err // its author's slip, and no clause
	}
	r.Connector = m.ConnectorKey
	r.warn(m)
	r.Bindings = slices.Sorted(maps.Keys(m.Requirements.Bindings))
	s := &suite{Options: o, report: r, manifest: m}
	if err := s.rootsExist(); err != nil {
		return r, err
	}
	if err := s.itemsExist(); err != nil {
		return r, err
	}
	if err := s.run(ctx); err != nil {
		return r, err
	}
	r.skipUnjudged()
	return r, nil
}

// described judges everything up to the first run. It returns nil when there
// can be none.
func described(ctx context.Context, o Options, r *Report) *abi.Manifest {
	guest, err := o.Engine.Load(ctx, o.File)
	switch {
	case abi.CodeOf(err) == abi.CodePluginDescribeFailed: // while it initialized
		r.pass("module.loads")
		r.judge("describe.manifest", err)
		return nil
	case !r.judge("module.loads", err):
		return nil
	}
	defer func() { _ = guest.Close() }()
	r.Kind = guest.Info().Kind
	raw, err := guest.Describe(ctx)
	if !r.judge("describe.manifest", err) {
		return nil
	}
	if !r.judge("describe.stable", guest.Steady(ctx, raw)) {
		return nil // the host refuses a manifest other than the known one
	}
	m, err := manifest.Parse(raw)
	if err == nil {
		err = plugin.CheckHosts(m)
	}
	if !r.judge("manifest.valid", err) {
		return nil
	}
	schemas := r.judge("manifest.schemas", boundary.CheckSchemas(m))
	imports := r.judge("manifest.imports", plugin.CheckImports(guest.Info(), m))
	if !schemas || !imports {
		return nil
	}
	return m
}

// warn reports fields that a connector can do without and its owner cannot.
func (r *Report) warn(m *abi.Manifest) {
	if m.Options == nil {
		r.Warnings = append(r.Warnings, "options is missing: any --set is taken, also a misspelt one; "+
			"list those that the connector reads, or [] when it reads none")
	}
	if p := m.Capabilities.RefreshPolicy; p == nil || p.MaximumStalenessSeconds == nil {
		r.Warnings = append(r.Warnings, "capabilities.refresh_policy.maximum_staleness_seconds is missing: "+
			"nothing says when data is old, so a connection that works is shown as Checking for ever")
	}
}

// NeedsBrowser begins the reason of the clause that is skipped for lack of a browser.
const NeedsBrowser = "it needs a browser and a site, and there are none here"

type suite struct {
	Options
	report   *Report
	manifest *abi.Manifest
	stores   int

	// About the first run:
	stored     map[string][]string // the live keys of each stream that has some
	committed  []string            // streams whose cursor moved
	enumerated []string            // streams that the first run enumerated
	bare       []string            // incremental streams with records that no cursor covers
}

func (s *suite) run(ctx context.Context) error {
	if _, required := s.manifest.Declares(abi.BindingNetwork); required && s.Sender == nil {
		s.report.skip("manifest.bindings", "it needs the network: name a provider with --set base_url=, or reach the real one with --network")
		return nil
	}
	if _, required := s.manifest.Declares(abi.BindingBrowser); required && s.Browser == nil {
		s.report.skip("manifest.bindings", NeedsBrowser+": its own tests judge it, on an sdktest.Site")
		return nil
	}
	if s.Sender != nil {
		sending, err := s.Sender.Open(ctx, run.SendRun{Connection: new(storage.Connection), Manifest: s.manifest, Options: s.Options.Options})
		if err != nil {
			return err // the operator's address, or the manifest's word on its provider: no clause of a run
		}
		sending.Close()
	}
	whole, err := s.newStore(ctx, s.Engine)
	if err != nil {
		return err
	}
	defer whole.close()
	s.report.notify()
	if err := s.credentials(ctx); err != nil {
		return err
	}
	s.report.notify()
	if ok, err := s.first(ctx, whole); !ok || err != nil {
		return err
	}
	for _, clause := range []func(context.Context, *store) error{
		s.checkpoints, s.resume, s.refresh, s.oneStream, s.oneKey, s.noTime, s.empty, s.stop, s.browserGone, s.isolation,
	} {
		s.report.notify()
		if err := clause(ctx, whole); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
