package owner

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Face is what a request came by.
type Face string

// CommandLine is the face of an owner who types commands on the host's own machine.
const CommandLine Face = "command_line"

// Actor is who asks for an operation.
type Actor struct {
	Face    Face
	ID      string // of a session, a token or a device; "": the face has no ids
	Address string // where the request came from; "": this machine
}

// auditKept is how long an audit event is kept (OC-02.1).
const auditKept = 400 * 24 * time.Hour

// outcomeDone is the outcome of a change that was made. That of a change that was
// refused is the error's code.
const outcomeDone = "done"

// errUnchanged reports a change of nothing.
var errUnchanged = errors.New("nothing changes")

// audited makes a change with its audit event, in one transaction with the change's first
// write; the event of a refused change is written by itself. It returns the error that the
// operation ends with. Subject names something that the store has: what somebody typed may
// be a secret (Invariant 5).
//
// A change of nothing is errUnchanged, which leaves no event and is no error.
//
// Invariant 11: each operation that changes something calls it once, and nothing else
// writes audit events.
func (o *Owner) audited(ctx context.Context, store *storage.Store, operation, subject string, change func(ctx context.Context) error) error {
	e := storage.AuditEvent{
		Actor: string(o.Actor.Face), ActorID: o.Actor.ID, Address: o.Actor.Address, Operation: operation, Subject: subject, Outcome: outcomeDone,
	}
	with, audit := storage.WithAudit(ctx, e, auditKept)
	err := change(with)
	if errors.Is(err, errUnchanged) {
		return nil
	}
	if err != nil {
		e.Outcome = string(abi.CodeOf(err))
	} else if audit.Recorded() {
		return nil
	}
	failed := store.RecordAudit(context.WithoutCancel(ctx), e, auditKept)
	if err != nil && failed != nil {
		o.Logger.Warn("the audit event of a refused change was not kept", "operation", operation, "code", abi.CodeOf(failed))
	}
	return cmp.Or(err, failed)
}

// AuditEvents returns the changes that owners made and were refused, the newest first.
func (o *Owner) AuditEvents(ctx context.Context, q storage.AuditQuery) ([]storage.AuditEvent, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	return store.AuditEvents(ctx, q)
}
