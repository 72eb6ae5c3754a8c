package owner

import (
	"context"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Face is what a request came by.
type Face string

// The faces.
const (
	CommandLine    Face = "command_line" // an owner who types commands on the host's own machine
	BrowserSession Face = "session"      // an owner's browser
	APIToken       Face = "token"        // a program that an owner gave a token
	App            Face = "client"       // an app that an owner granted something
)

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

// Audited makes a change with its audit event, in one transaction with the change's first
// write; the event of a refused change is written by itself. Where a later write fails, the
// event's outcome becomes the error's code. It returns the error that the operation ends
// with. Subject names something that the store has: what somebody typed may
// be a secret (Invariant 5).
//
// A change that a full disk refuses is made once more with the room that was reserved for it.
//
// One that makes what outlasts a browser's session needs a fresh proof of it: owner.proof_needed.
//
// A change of nothing is errUnchanged, which leaves no event and is no error.
//
// Invariant 11: each operation that changes something has its event of Audited, Refused or
// Witness, and nothing else writes audit events.
func (o *Owner) Audited(ctx context.Context, store *storage.Store, operation, subject string, change func(ctx context.Context) error) error {
	if err := o.NeedProof(ctx, operation); err != nil {
		return o.Refused(ctx, store, operation, subject, err)
	}
	with, audit := storage.WithAudit(ctx, o.event(operation, subject, outcomeDone), auditKept)
	err := change(with)
	if !audit.Recorded() && o.GiveBack(err) {
		with, audit = storage.WithAudit(ctx, o.event(operation, subject, outcomeDone), auditKept)
		err = change(with)
	}
	switch {
	case errors.Is(err, errUnchanged):
		return nil
	case err != nil && audit.Recorded(): // a later one of several changes failed
		if cerr := store.CorrectAudit(context.WithoutCancel(ctx), audit, string(abi.CodeOf(err))); cerr != nil {
			o.Logger.Warn("the audit event of a change that failed says that it was made", "operation", operation, "code", abi.CodeOf(cerr))
		}
		return err
	case err != nil:
		return o.Refused(ctx, store, operation, subject, err)
	case audit.Recorded():
		return nil
	}
	return store.RecordAudit(context.WithoutCancel(ctx), o.event(operation, subject, outcomeDone), auditKept)
}

// Refused leaves the audit event of a change that was refused, and returns the refusal.
func (o *Owner) Refused(ctx context.Context, store *storage.Store, operation, subject string, refusal error) error {
	code := abi.CodeOf(refusal)
	if code == abi.CodeInterrupted {
		return refusal // the owner ended it, and nobody refused it
	}
	e := o.event(operation, subject, string(code))
	if err := store.RecordAudit(context.WithoutCancel(ctx), e, auditKept); err != nil {
		o.Logger.Warn("the audit event of a refused change was not kept", "operation", operation, "code", abi.CodeOf(err))
	}
	return refusal
}

// RefusedTo is Refused for a change of the connection of that name, where there is one.
func (o *Owner) RefusedTo(ctx context.Context, store *storage.Store, operation, connection string, refusal error) error {
	if conn, _ := store.Connection(context.WithoutCancel(ctx), connection); conn == nil {
		return refusal
	}
	return o.Refused(ctx, store, operation, connection, refusal)
}

// Witness returns a context with which the first change of the store records the event of
// a change that another room makes.
func (o *Owner) Witness(ctx context.Context, operation, subject string) context.Context {
	ctx, _ = storage.WithAudit(ctx, o.event(operation, subject, outcomeDone), auditKept)
	return ctx
}

func (o *Owner) event(operation, subject, outcome string) storage.AuditEvent {
	return storage.AuditEvent{
		Actor: string(o.Actor.Face), ActorID: o.Actor.ID, Address: o.Actor.Address, Operation: operation, Subject: subject, Outcome: outcome,
	}
}

// ProofLife is how long a browser's session may make what outlasts it, since its owner has proven by a
// password or a passkey that it is theirs.
const ProofLife = 5 * time.Minute

// CodeProofNeeded reports an operation for which the owner of a session has to prove anew that it is theirs.
const CodeProofNeeded abi.Code = "owner.proof_needed"

// OpFirstPassword is the operation of an owner who has passkeys alone and sets a password. One who has a
// password proves it as they change it.
const OpFirstPassword = "owner.first_password"

// OpSetAddress is the operation of an owner who has a connection ask at another address: its credentials are sent there,
// whether they are stored or come from the environment.
const OpSetAddress = "connections.set_address"

// OpInstall and OpAccept are the operations of an owner who puts a module in place, and who accepts one: a connection's
// credentials go where its module says.
const (
	OpInstall = "connectors.install"
	OpAccept  = "connectors.accept"
)

// lasting are the operations that make what outlasts the session that asks: whoever copied a session's cookie
// could keep a way in after the owner has ended that session. Audited looks here, and nothing else decides
// it.
var lasting = map[string]bool{
	"tokens.create":     true,
	"tokens.approve":    true, // of a device
	"grants.approve":    true,
	"grants.credential": true,
	"owner.add_passkey": true,
	OpFirstPassword:     true,
	"notifications.add": true, // what is told goes to it
	"devices.invite":    true, // whoever has the code delivers records
	OpSetAddress:        true, // whoever answers there has the credentials
	OpInstall:           true, // a module may send them elsewhere
	OpAccept:            true,
}

// NeedProof returns owner.proof_needed where an operation makes what outlasts a session, a browser asks, and its
// session was not proven within ProofLife. A token and the command line have no session, and are not asked.
func (o *Owner) NeedProof(ctx context.Context, operation string) error {
	if !lasting[operation] || o.Actor.Face != BrowserSession {
		return nil
	}
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	proved, open, err := store.SessionProved(ctx, o.Actor.ID)
	if err != nil {
		return err
	}
	if !open && o.Actor.ID != "" {
		return nil // the write is refused: the session has ended
	}
	if age := o.Now().Sub(proved); !proved.IsZero() && age >= 0 && age < ProofLife {
		return nil
	}
	return abi.NewError(CodeProofNeeded, "this makes something that outlasts your session, so it needs your password or passkey again", "open /prove in the same browser, then do it again within five minutes")
}
