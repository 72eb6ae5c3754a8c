package serving

import (
	"cmp"
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// run is one run of the scheduler's. The scheduler has looked at the cooldown
// with the interval of this connection.
func (s *Server) run(ctx context.Context, j schedule.Job) error {
	if err := s.refuses(); err != nil {
		s.tally.refused()
		return err
	}
	file, path, err := modules.Of(s.Config, &j.Connection)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // it would outlive the stop by the grace
	}
	ctx, f := s.lives.follow(ctx)
	defer f.end()
	deps := running.Deps(s.Owner, s.store, s.engine, 0)
	deps.Began, deps.Observe, deps.Stopping = f.begin, f.observe, f.stopping
	if s.asks {
		parked := questions.Park(s.Owner, s.store, j.Waiting)
		deps.Asker, deps.Began = parked, func(b run.Began) {
			parked.Began(b)
			f.begin(b)
		}
	}
	result, err := run.New(deps).Run(ctx, run.Request{
		Connection: j.Connection.ID, Module: file, ModulePath: path, Mode: abi.ModeIncremental, MaxWall: running.AskingTime(s.Config.RunTime()),
	})
	switch {
	case err == nil:
		s.tally.add(result)
	case f.began.RunID == "":
		s.tally.refused()
	}
	s.keepRejected(ctx, &j.Connection, result, err)
	return err
}

// refuses returns why no run may begin: the machine cannot make any, or this process has no right to.
func (s *Server) refuses() error { return cmp.Or(s.RefuseRuns(), s.right.missing()) }

// turnedAway keeps that a connection was not run because of a fault of the machine, and reports that
// where it is new.
func (s *Server) turnedAway(ctx context.Context, c storage.Connection, t schedule.Trigger, why error) {
	if s.TurnAway(ctx, s.store, &c, t, why) && s.request.Report != nil {
		s.request.Report(schedule.Event{Kind: schedule.EventRefused, Connection: c.Name, Trigger: t, Err: why})
	}
}

// ready sees whether a module is gone or nobody has accepted it, and nothing that has
// to be read for it.
func (s *Server) ready(_ context.Context, c storage.Connection) error {
	if !modules.Missing(s.Config, &c) {
		if c.PinnedSHA256 == "" {
			return run.NotAccepted(c.Connector, c.Name, "")
		}
		return nil
	}
	_, _, err := modules.Of(s.Config, &c)
	return err
}

// policy is what the accepted manifest recommends, or before the first run that
// of the installed module, which is loaded once to ask it.
func (s *Server) policy(ctx context.Context, c storage.Connection) (*abi.RefreshPolicy, error) {
	if c.Unreadable != nil {
		return nil, c.Unreadable
	}
	m, err := s.manifest(ctx, &c)
	if err != nil {
		return nil, err
	}
	return m.Capabilities.RefreshPolicy, nil
}

// manifest is the accepted one, or before the first run the installed module's.
func (s *Server) manifest(ctx context.Context, c *storage.Connection) (*abi.Manifest, error) {
	if m := modules.Pinned(c); m != nil {
		return m, nil
	}
	file, _, err := modules.Of(s.Config, c)
	if err != nil {
		return nil, err
	}
	d, err := s.Modules.Describe(ctx, s.engine, file)
	if err != nil {
		return nil, err
	}
	return d.Manifest, nil
}

// scarce says that a run of a connector with a browser needs one of those that may run at once.
func (s *Server) scarce(c storage.Connection) (what string, most int) {
	m := modules.Pinned(&c)
	if m == nil || s.Browser == nil {
		return "", 0
	}
	if declared, _ := m.Declares(abi.BindingBrowser); !declared {
		return "", 0
	}
	return abi.BindingBrowser, s.Browser.Slots()
}

// onDevice reports whether a device feeds the connection.
func (s *Server) onDevice(ctx context.Context, c storage.Connection) (bool, error) {
	return owner.FedByDevice(ctx, s.store, c.ID)
}

func (s *Server) pressure(ctx context.Context, c storage.Connection) (schedule.Pressure, error) {
	return owner.PressureOf(ctx, s.store, c.ID)
}

// probes returns the probe of one pass, which asks a keyring once.
func (s *Server) probes() schedule.Probe {
	look := vaultLook{keyring: s.Vault.Keyring}
	return func(ctx context.Context, c storage.Connection, o schedule.Obstacle) (verdict.SatisfactionEvidence, string, error) {
		return s.probe(ctx, c, o, &look)
	}
}

// probe looks whether the owner has done what a connection waits for. It runs
// nothing: a run confirms it.
func (s *Server) probe(ctx context.Context, c storage.Connection, o schedule.Obstacle, look *vaultLook) (verdict.SatisfactionEvidence, string, error) {
	switch o.Kind {
	case schedule.BadCredentials:
		if isVaults(abi.Code(o.Code)) {
			opens, err := s.vaultOpens(ctx, &c, look)
			return verdict.SatisfactionEvidence{Credential: &verdict.CredentialEvidence{Present: true, Rejected: !opens}}, "", err
		}
		return s.credentials().Look(ctx, c, o)
	case schedule.NoFolder:
		return schedule.Attention(s.foldersAreBack(ctx, &c)), "", nil
	case schedule.OtherModule:
		file, _, err := modules.Of(s.Config, &c)
		if err != nil {
			return schedule.Attention(false), "", nil //nolint:nilerr // it is the obstacle, and it is still there
		}
		return schedule.Attention(c.PinnedSHA256 == file.SHA256), file.SHA256, nil
	}
	return verdict.SatisfactionEvidence{}, "", nil
}

// foldersAreBack reports whether a run would be granted the folders that it read
// before, or before the first run those that it asks for.
func (s *Server) foldersAreBack(ctx context.Context, c *storage.Connection) bool {
	m, err := s.manifest(ctx, c)
	if err != nil {
		return false // there is nothing to look with
	}
	roots, err := s.Folders.Resolve(m, c.Roots, c.Accepted)
	if err != nil {
		return false
	}
	for _, r := range roots {
		if was, known := c.ReadRoots[r.Name]; known && (was != r.Path || r.Empty) {
			return false
		}
	}
	return true
}
