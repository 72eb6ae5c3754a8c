package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// granted is what a run lets its guest reach.
type granted struct {
	grant plugin.Grant
	start abi.Bindings
	roots []ResolvedRoot
}

// folders are the names of the folders.
func (g *granted) folders() []string {
	names := make([]string, len(g.grant.Roots))
	for i := range g.grant.Roots {
		names[i] = g.grant.Roots[i].Name
	}
	return names
}

// pinnedRoots returns the folders that a run of an accepted module is about to be
// granted, so that one worker can describe the module and collect with it. It grants
// nothing: the run's folders are decided once its module has described itself. It finds
// none for a connection that the request does not name and that has another name than
// its module.
func (r *Runner) pinnedRoots(ctx context.Context, req Request) []plugin.Mount {
	conn, err := r.deps.Store.Connection(ctx, cmp.Or(req.Connection, req.Module.Name))
	if err != nil || conn.PinnedSHA256 != req.Module.SHA256 {
		return nil
	}
	m, err := manifest.Parse(conn.PinnedManifest)
	if err != nil {
		return nil
	}
	g, err := r.matchBindings(m, merged(conn.Roots, req.Roots), conn.Accepted)
	if err != nil {
		return nil // the run reports it
	}
	return g.grant.Roots
}

// matchBindings compares the bindings that the manifest asks for with those that this
// host can give, before anything starts (RT-06). A missing required binding is refused
// by its name; an optional one is not granted.
func (r *Runner) matchBindings(m *abi.Manifest, given map[string]string, accepted []storage.AcceptedItem) (*granted, error) {
	g := &granted{grant: plugin.Grant{Bindings: map[string]bool{}}}
	names := make([]string, 0, len(m.Requirements.Bindings))
	for name := range m.Requirements.Bindings {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		required := m.Requirements.Bindings[name].Required
		ok := false
		var why error // of a binding that is missing
		switch name {
		case abi.BindingFilesystem:
			var err error
			if ok, err = r.grantFilesystem(g, m, given, accepted, required); err != nil {
				return nil, err
			}
			// A declaration is enough to link the binding's functions; without a root
			// they reach nothing.
			g.grant.Bindings[name] = true
		case abi.BindingNetwork:
			if ok = r.deps.Sender != nil && m.Requirements.Network != nil; ok {
				g.start.Network = &struct{}{}
			}
		case abi.BindingBrowser, abi.BindingBrowserLegacy:
			if why = r.noBrowser(m); why == nil {
				ok, name = true, abi.BindingBrowser
				g.start.Browser = &struct{}{}
			}
		case abi.BindingInteractive:
			if ok = r.deps.Asker != nil; ok {
				g.start.Interactive = &struct{}{}
			}
		}
		if !ok && required {
			return nil, missingBinding(name, why)
		}
		if ok {
			g.grant.Bindings[name] = true
		}
	}
	if _, declared := m.Requirements.Bindings[abi.BindingFilesystem]; !declared && len(given) > 0 {
		return nil, abi.NewError(abi.CodeRootInvalid, "the connector reads no folders", "leave --root out")
	}
	// Credentials can be asked for even by a connector that declares no
	// interactive binding of its own (RT-08).
	if r.deps.Asker != nil && needsCredentials(m) {
		g.start.Interactive = &struct{}{}
	}
	// A question always reaches the run, which judges it: when nobody can be asked, it
	// is a violation and not a mere refusal.
	g.grant.Bindings[abi.BindingInteractive] = true
	return g, nil
}

func (r *Runner) grantFilesystem(g *granted, m *abi.Manifest, given map[string]string, accepted []storage.AcceptedItem, required bool) (bool, error) {
	if r.deps.Roots == nil {
		return false, nil
	}
	roots, err := r.deps.Roots.Resolve(m, given, accepted)
	if err != nil {
		if !required && len(given) == 0 && abi.CodeOf(err) == abi.CodeRootMissing {
			return false, nil
		}
		return false, err
	}
	binding := &abi.FilesystemBinding{}
	for _, root := range roots {
		g.grant.Roots = append(g.grant.Roots, plugin.Mount{Name: root.Name, Path: root.Path})
		binding.Roots = append(binding.Roots, abi.Root{Name: root.Name, Path: "/" + root.Name})
	}
	g.start.Filesystem = binding
	g.roots = roots
	return true, nil
}

// missingBinding names the binding in the reference's own words, because other
// hosts' operators search for them.
func missingBinding(name string, why error) error {
	code, hint := abi.CodeBindingMissing, "this version of the host has no such binding; use a newer one"
	if reason, ok := errors.AsType[*abi.Error](why); ok {
		hint = reason.Message + ": " + reason.Hint
		if reason.Code != code {
			code = abi.CodeBrowserRuntime
		}
	}
	if name == abi.BindingInteractive {
		hint = "run it where somebody can be asked: on a terminal, without --no-input"
	}
	return abi.NewError(code, fmt.Sprintf("Runtime cannot satisfy required binding: %s", name), hint).Wrap(why)
}

// noBrowser says why a run has no browser; nil: it has one (BR-04.1).
func (r *Runner) noBrowser(m *abi.Manifest) error {
	switch {
	case r.deps.Browser == nil || r.deps.Sender == nil:
		return abi.NewError(abi.CodeBindingMissing, "no browser is driven here", "run it with pdpp-host, on the host itself")
	case m.Requirements.Browser == nil:
		return abi.NewError(abi.CodeBindingMissing, "the manifest does not say which hosts a browser may reach",
			"this is the connector's fault: its author adds runtime_requirements.browser")
	}
	return r.deps.Browser.Missing(m.Requirements.Browser)
}

// needsCredentials reports whether the connector cannot work without some.
func needsCredentials(m *abi.Manifest) bool {
	return slices.ContainsFunc(manifest.Credentials(m), func(c abi.CredentialField) bool { return c.Required })
}

// hasCredentials reports whether the connector uses secrets at all.
func hasCredentials(m *abi.Manifest) bool { return len(manifest.Credentials(m)) > 0 }

// leased tells that the run waits for its browser, or has it. The connection's health follows
// the events.
func (r *run) leased(waits abi.Code, profile string) {
	_ = r.event("run.browser_lease", "", map[string]any{"waits": waits, "profile": profile})
}

// browserFault is what the run's browser failed at; nil: it did not, or the run has none.
func (r *run) browserFault() error {
	if r.plan.browsing == nil {
		return nil
	}
	return r.plan.browsing.Fault()
}

// keepSubmitted leaves the next run to the owner when this one has ended after it sent a secret of
// theirs, and the site did not let it in: nobody knows what the site makes of another (BR-13.5).
// Such a run has failed, also one that was cancelled: the next would send the secret again.
// Credentials that the site refused are put right as ever. A run that was let in by its
// connector's word alone is not repeated at once.
func (r *run) keepSubmitted(o *outcome) {
	if o.status == StatusSucceeded || r.plan.browsing == nil || !r.plan.browsing.Sent() {
		return
	}
	o.failure.Retryable = false
	if !r.plan.browsing.Submitted() {
		return
	}
	o.status, o.failure.submitted = StatusFailed, true
	if o.reason == abi.ReasonConnectorReportedCancelled {
		o.reason = abi.ReasonConnectorReportedFailed
	}
	if o.failure.RecoveryHint != "refresh_credentials" {
		o.failure.RecoveryHint = "manual_action_required"
	}
}

// browserFailure is how a run ends whose browser failed, whatever its guest makes of that. One
// that cannot be used as it is waits for its owner; any other may do better the next time.
func browserFailure(why error) *Failure {
	code := abi.CodeOf(why)
	f := failure(why, abi.BrowserRetryable(code))
	switch code {
	case abi.CodeBrowserMissing, abi.CodeBrowserTooOld, abi.CodeBrowserSandbox, abi.CodeBrowserProfile:
		f.Code, f.RecoveryHint = string(abi.CodeBrowserRuntime), "manual_action_required"
	case abi.CodeBrowserProfileLarge: // the next run would end the same way
		f.RecoveryHint = "manual_action_required"
	}
	return f
}
