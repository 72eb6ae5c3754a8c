package main

import (
	"context"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// run is one run of the scheduler's. The scheduler has looked at the cooldown
// with the interval of this connection, so that it is not asked for again.
func (s *server) run(ctx context.Context, j schedule.Job) error {
	file, err := openModule(s.config, j.Connection.Connector)
	if err != nil {
		return err
	}
	deps := s.app.runDeps(s.config, s.store, s.engine, s.app.rootResolver(s.config), runFlags{noInput: true})
	deps.Admit = nil
	result, err := run.New(deps).Run(ctx, run.Request{
		Connection: j.Connection.Name, Module: file, Mode: abi.ModeIncremental, MaxWall: askingTime(s.config.RunTime()),
	})
	if err == nil {
		s.tally.add(result)
	}
	return err
}

// policy is what the accepted manifest recommends, or before the first run that
// of the installed module, which is loaded once to ask it.
func (s *server) policy(ctx context.Context, c storage.Connection) (*abi.RefreshPolicy, error) {
	if m := pinnedManifest(&c); m != nil {
		return m.Capabilities.RefreshPolicy, nil
	}
	file, err := openModule(s.config, c.Connector)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	p, known := s.policies[file.SHA256]
	s.mu.Unlock()
	if known {
		return p, nil
	}
	d, err := describe(ctx, s.engine, file)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.policies[file.SHA256] = d.Manifest.Capabilities.RefreshPolicy
	return d.Manifest.Capabilities.RefreshPolicy, nil
}

// onDevice: what a device feeds is the device's to run, also where its owner has
// revoked it since.
func (s *server) onDevice(ctx context.Context, c storage.Connection) (bool, error) {
	fed, err := s.store.SourceInstances(ctx, c.ID)
	return len(fed) > 0, err
}

func (s *server) pressure(ctx context.Context, c storage.Connection) (schedule.Pressure, error) {
	return pressureOf(ctx, s.store, c.ID)
}

// probe looks whether the owner has done what a connection waits for. It runs
// nothing: a run confirms it.
func (s *server) probe(ctx context.Context, c storage.Connection, o schedule.Obstacle) (verdict.SatisfactionEvidence, string, error) {
	switch o.Kind {
	case schedule.BadCredentials:
		return s.probeCredentials(ctx, c, o)
	case schedule.NoFolder:
		return schedule.Attention(s.foldersAreBack(&c)), "", nil
	case schedule.OtherModule:
		file, err := openModule(s.config, c.Connector)
		if err != nil {
			return schedule.Attention(false), "", nil //nolint:nilerr // it is the obstacle, and it is still there
		}
		return schedule.Attention(c.PinnedSHA256 == "" || c.PinnedSHA256 == file.SHA256), file.SHA256, nil
	}
	return verdict.SatisfactionEvidence{}, "", nil
}

// probeCredentials holds against a failure what was stored since. What the
// environment has may be another value in a process that began after it.
func (s *server) probeCredentials(ctx context.Context, c storage.Connection, o schedule.Obstacle) (verdict.SatisfactionEvidence, string, error) {
	stored, err := s.store.StoredCredentials(ctx, c.ID)
	if err != nil {
		return verdict.SatisfactionEvidence{}, "", err
	}
	var newest time.Time
	for _, f := range stored {
		if f.UpdatedAt.After(newest) {
			newest = f.UpdatedAt
		}
	}
	held := len(stored) > 0
	if m := pinnedManifest(&c); m != nil && s.began.After(newest) {
		for _, f := range credentialFields(m) {
			if environmentName(f, ownEnvironment(c.Connector, s.getenv)) != "" {
				held, newest = true, s.began
			}
		}
	}
	e := verdict.SatisfactionEvidence{Credential: &verdict.CredentialEvidence{Present: held, Rejected: !newest.After(o.Since)}}
	return e, strconv.FormatInt(newest.UnixMicro(), 10), nil
}

// foldersAreBack reports whether a run would be granted the folders that it read
// before.
func (s *server) foldersAreBack(c *storage.Connection) bool {
	m := pinnedManifest(c)
	if m == nil {
		return true // it never ran: only a run can tell
	}
	roots, err := s.app.rootResolver(s.config).Resolve(m, c.Roots)
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
