package credentials

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
)

// RemovedCredential is a credential that was forgotten.
type RemovedCredential struct {
	Connection string `json:"connection"`
	Field      string `json:"field"`
}

// Remove forgets a stored credential. A field that has no stored value is
// in no audit event: what was typed in its place may be a secret.
func Remove(ctx context.Context, o *owner.Owner, name, field string) (*RemovedCredential, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	stored, err := store.StoredCredentials(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range stored {
		names = append(names, s.Field)
	}
	unknown := abi.NewError(credential.CodeUnknown, conn.Name+" has no stored credential of that name", nearestOf(field, names, "stored are"))
	if !slices.Contains(names, field) {
		return nil, o.Refused(ctx, store, "credentials.remove", conn.Name, unknown)
	}
	return &RemovedCredential{conn.Name, field}, o.Audited(ctx, store, "credentials.remove", conn.Name+" "+field, func(ctx context.Context) error {
		deleted, err := store.DeleteCredential(ctx, conn.ID, field)
		if err == nil && !deleted { // removed a moment ago, by somebody else
			return unknown
		}
		return err
	})
}
