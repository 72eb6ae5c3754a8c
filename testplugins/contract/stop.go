package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// stop asks the guest to stop at its first message. It runs the guest without a store:
// a run's own display would come too late for a short one.
func (s *suite) stop(ctx context.Context, _ *store) error {
	guest, err := s.Engine.Load(ctx, s.File)
	if err != nil {
		return err
	}
	defer func() { _ = guest.Close() }()
	if _, err := guest.Describe(ctx); err != nil {
		s.report.judge("stop.complies", err)
		return nil
	}
	start, grant, err := s.start()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := &listener{start: start, now: s.Now, heard: func() { cancel(run.ErrInterrupted) }}
	exit := guest.Collect(ctx, grant, l)
	switch {
	case !l.spoke:
		s.report.skip("stop.complies", "the run was over before it could be stopped")
	case errors.Is(exit.Err, run.ErrInterrupted):
		err = errors.New("the guest went on when its calls returned 1, and was killed")
	case exit.Err != nil:
		err = exit.Err
	case !l.done:
		err = errors.New("the guest returned without DONE")
	}
	if l.spoke {
		s.report.judge("stop.complies", err)
	}
	return nil
}

// start is the START and the grant of a run over every stream.
func (s *suite) start() ([]byte, plugin.Grant, error) {
	m := s.manifest
	start := abi.Start{Type: abi.TypeStart, RunID: "run_contract_stop", CollectionMode: abi.ModeIncremental, Options: s.Options.Options}
	grant := plugin.Grant{Bindings: map[string]bool{}}
	for i := range m.Streams {
		start.Scope.Streams = append(start.Scope.Streams, abi.StreamScope{Name: m.Streams[i].Name})
	}
	if declared, _ := m.Declares(abi.BindingFilesystem); declared {
		resolved, err := roots{s, s.Roots}.Resolve(m, nil, nil)
		if err != nil {
			return nil, grant, err
		}
		grant.Bindings[abi.BindingFilesystem] = true
		start.Bindings.Filesystem = &abi.FilesystemBinding{}
		for _, r := range resolved {
			grant.Roots = append(grant.Roots, plugin.Mount{Name: r.Name, Path: r.Path})
			start.Bindings.Filesystem.Roots = append(start.Bindings.Filesystem.Roots, abi.Root{Name: r.Name, Path: "/" + r.Name})
		}
	}
	start.Credentials = pretended{s}.Held()
	raw, err := json.Marshal(start)
	if err != nil {
		return nil, grant, fmt.Errorf("START: %w", err)
	}
	return raw, grant, nil
}

// listener is a host that notes whether a guest sends messages, and whether it sends
// DONE.
type listener struct {
	start       []byte
	now         func() time.Time
	heard       func() // the guest sent a message other than DONE
	spoke, done bool
}

// Emit implements plugin.Host.
func (l *listener) Emit([]byte) error { return l.Message("emit", nil) }

// Message implements plugin.Host.
func (l *listener) Message(call string, _ []byte) error {
	if call == "done" {
		l.done = true
		return nil
	}
	l.spoke = true
	l.heard()
	return nil
}

// Log implements plugin.Host.
func (l *listener) Log(int32, []byte) {}

// Submit implements plugin.Host.
func (l *listener) Submit(op abi.Operation, _ []byte, reply func([]byte)) error {
	switch op {
	case abi.OpStart:
		reply(l.start)
	case abi.OpNow:
		reply(fmt.Appendf(nil, `{"unix_ms":%d}`, l.now().UnixMilli()))
	case abi.OpGaps:
		reply([]byte(`{"detail_gaps":[]}`))
	case abi.OpMissing:
		reply([]byte(`{"keys":[]}`))
	default:
		return abi.NewError(abi.CodeBindingNotGranted, "the run was not granted the binding of this operation", "")
	}
	return nil
}
