package connectors

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Terms returns what an acceptance would give the module. It accepts nothing.
func Terms(ctx context.Context, o *owner.Owner, a Acceptance) (*modules.Terms, error) {
	look := &looker{}
	a.Consent = look
	if _, err := Accept(ctx, o, a); !errors.Is(err, modules.ErrNotAccepted) {
		return nil, err
	}
	return look.terms, nil
}

// looker is a consent that looks at the terms and says no.
type looker struct{ terms *modules.Terms }

// Ask keeps the terms.
func (l *looker) Ask(_ context.Context, t *modules.Terms, _, _ []storage.AcceptedItem) ([]storage.AcceptedItem, error) {
	l.terms = t
	return nil, modules.ErrNotAccepted
}

// ShownModule is the consent of an owner who was shown the terms of the module of that hash, and
// said yes to that one.
type ShownModule string

// Ask accepts what was shown, and no other module.
func (s ShownModule) Ask(_ context.Context, t *modules.Terms, items, _ []storage.AcceptedItem) ([]storage.AcceptedItem, error) {
	if t.Module.File.SHA256 != string(s) {
		return nil, abi.NewError(abi.CodePluginChanged, "the module is not the one that was shown", "look at what it asks for now, then accept it")
	}
	return items, nil
}
