package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Options is one module to hold against the contract.
type Options struct {
	File    *plugin.File
	Engine  *plugin.Engine    // runs the module for every clause
	Second  *plugin.Engine    // the other isolation mode, for isolation.same; nil skips that clause
	Roots   map[string]string // folders to grant, by root name; a root not named here is an empty folder
	Options map[string]string // connector options for every run
	Dir     string            // where to work; "" is a temporary folder, removed afterwards
}

// Check runs the suite. The error says that the suite itself could not work; a
// module that fails a clause is a Report. It writes only below Options.Dir.
func Check(ctx context.Context, o Options) (*Report, error) {
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "pdpp-contract-")
		if err != nil {
			return nil, fmt.Errorf("a folder to work in: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.Dir = dir
	}
	r := newReport()
	r.Module, r.SHA256 = o.File.Name, o.File.SHA256
	m := described(ctx, o, r)
	if m == nil {
		return r, ctx.Err()
	}
	s := &suite{Options: o, report: r, manifest: m}
	return r, s.run(ctx)
}

// described judges everything up to the first run. It returns nil when there
// can be none.
func described(ctx context.Context, o Options, r *Report) *abi.Manifest {
	guest, err := o.Engine.Load(ctx, o.File)
	if !r.judge("module.loads", err) {
		return nil
	}
	defer func() { _ = guest.Close() }()
	r.Kind = guest.Info().Kind
	raw, err := guest.Describe(ctx)
	if !r.judge("describe.manifest", err) {
		return nil
	}
	again, err := guest.Describe(ctx)
	if err == nil && !bytes.Equal(raw, again) {
		err = errors.New("the second manifest differs from the first")
	}
	r.judge("describe.stable", err)
	m, err := manifest.Parse(raw)
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

type suite struct {
	Options
	report   *Report
	manifest *abi.Manifest
	runs     int
}

func (s *suite) run(ctx context.Context) error {
	whole, err := s.newStore(ctx, s.Engine)
	if err != nil {
		return err
	}
	defer whole.close()
	first, err := whole.play(ctx, run.Request{})
	if err != nil || first.Status != run.StatusSucceeded {
		return s.firstFailed(first, err)
	}
	for _, id := range []string{"collect.done", "collect.messages", "collect.returns"} {
		s.report.set(id, Pass, "")
	}
	s.report.judge("collect.records", rejections(first))
	stored, err := whole.keys(ctx)
	if err != nil {
		return err
	}
	for _, n := range stored {
		s.report.Records += int64(len(n))
	}
	for _, clause := range []func(context.Context, *store, map[string][]string) error{
		s.resume, s.refresh, s.oneStream, s.oneKey, s.stop, s.isolation,
	} {
		if err := clause(ctx, whole, stored); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// firstFailed names the clause that the first run broke.
func (s *suite) firstFailed(res *run.Result, err error) error {
	if err != nil {
		s.report.set("collect.done", Fail, "the run was refused: "+err.Error())
		return nil
	}
	detail := res.Reason
	code := abi.Code("")
	if res.Error != nil {
		detail, code = res.Error.Code+": "+res.Error.Message, abi.Code(res.Error.Code)
	}
	switch {
	case res.Reason == string(abi.ReasonConnectorReportedFailed), res.Reason == string(abi.ReasonConnectorReportedCancelled):
		// An honest failure keeps the contract: it has an end, and says why.
		s.report.set("collect.done", Pass, "")
		s.report.set("collect.messages", Pass, "")
		s.report.set("collect.returns", Pass, "")
		for _, c := range s.report.Clauses {
			if c.Outcome == Skip {
				s.report.set(c.ID, Skip, "the connector could not collect here ("+detail+")")
			}
		}
	case code == abi.CodeGuestExit && res.Reason == string(abi.ReasonProtocolViolation):
		s.report.set("collect.done", Pass, "")
		s.report.set("collect.messages", Pass, "")
		s.report.set("collect.returns", Fail, detail)
	case res.Reason == string(abi.ReasonProtocolViolation):
		s.report.set("collect.messages", Fail, detail)
	default:
		s.report.set("collect.done", Fail, detail)
	}
	return nil
}

func rejections(res *run.Result) error {
	for _, g := range res.KnownGaps {
		if g.Kind == "rejected_record" {
			return fmt.Errorf("%d records of stream %s: %s", g.Count, g.Stream, g.Message)
		}
	}
	return nil
}
