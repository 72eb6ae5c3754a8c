package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Report is the result of a replay.
type Report struct {
	Connector      string      `json:"connector"`
	Version        string      `json:"version"` // as recorded
	RecordedSHA256 string      `json:"recorded_module_sha256"`
	ModuleSHA256   string      `json:"module_sha256"`
	Identical      bool        `json:"identical"`
	Calls          int         `json:"calls"`
	Requests       int         `json:"requests"`
	Answers        int         `json:"answers"`
	Difference     *Difference `json:"difference,omitempty"`
}

// CheckModule refuses a module other than the recorded one. The error is an *abi.Error
// plugin.changed.
func (t *Tape) CheckModule(g *plugin.Guest) error {
	if is := g.Info().SHA256; is != t.header.ModuleSHA256 {
		return abi.NewError(abi.CodePluginChanged, "this is not the module that was recorded",
			"give the module that was, or --any-module to hold this one against the recording").
			WithDetail(fmt.Sprintf("it has sha256 %s, recorded is %s", is[:12], t.header.ModuleSHA256[:12]))
	}
	return nil
}

// Play runs g over the recording and compares its calls, until its end or the first
// difference. A difference is in the report; an error means that there is no report.
func Play(ctx context.Context, t *Tape, g *plugin.Guest) (*Report, error) {
	p, err := t.play(ctx, false, func(ctx context.Context, grant plugin.Grant, h plugin.Host) plugin.Exit {
		return g.Collect(ctx, grant, h)
	})
	if err != nil {
		return nil, err
	}
	return &Report{
		Connector: t.header.Connector, Version: t.header.Version,
		RecordedSHA256: t.header.ModuleSHA256, ModuleSHA256: g.Info().SHA256,
		Identical: p.difference == nil, Calls: p.calls, Requests: p.requests, Answers: p.answers, Difference: p.difference,
	}, nil
}

// play runs a guest over the recording by calling collect.
func (t *Tape) play(ctx context.Context, lenient bool, collect func(context.Context, plugin.Grant, plugin.Host) plugin.Exit) (*player, error) {
	c, err := t.rewind()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p, err := newPlayer(c, lenient, func() { stop(errDiffers) })
	if err != nil {
		return nil, err
	}
	exit := collect(ctx, t.header.grant(), p)
	return p, p.finish(exit)
}

// Update runs g over the recording's answers and replaces the recording by g's calls,
// if its requests are unchanged. g must be freshly loaded.
func Update(ctx context.Context, t *Tape, g *plugin.Guest) error {
	f, err := os.CreateTemp(filepath.Dir(t.path), "."+filepath.Base(t.path)+".*") // for this user alone
	if err != nil {
		return unwritable(err)
	}
	grant := t.header.grant()
	r := newRecorder(f, "", Options{
		Mode: t.header.Mode, Start: grant.Deterministic.Start, Seed: grant.Deterministic.Seed, MaxBytes: t.most,
	})
	p, err := t.play(ctx, true, func(ctx context.Context, grant plugin.Grant, h plugin.Host) plugin.Exit {
		r.seconds = func() int64 { return h.(*player).seconds } //nolint:forcetypeassert // play's own
		return r.Collect(ctx, g, grant, h)
	})
	whole := r.Close()
	if err == nil && p.difference != nil {
		err = abi.NewError(CodeDiffers, "the recording cannot be updated: the guest makes other requests",
			"record the run again").WithDetail(p.difference.What)
	}
	if err == nil {
		err = whole
	}
	if err == nil {
		if err = os.Rename(f.Name(), t.path); err != nil {
			err = unwritable(err)
		}
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
