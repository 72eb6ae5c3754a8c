package doctor

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// credentials looks at the key and opens every stored credential. It makes
// no key, and asks no keyring while nothing is stored.
func (e *exam) credentials(ctx context.Context, store *storage.Store) error {
	const check = "credentials"
	stored, err := store.StoredCredentials(ctx, "")
	if err != nil {
		return err
	}
	if len(stored) == 0 {
		if _, err := vault.CheckFile(e.Config.DataDir()); err != nil && e.Config.CredentialsKey() != config.CredentialsKeyring {
			e.fail(check, err)
			return nil
		}
		e.ok(check, "none stored")
		return nil
	}
	o := e.Vault
	o.Sealed = true
	v, err := vault.Open(ctx, o)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		e.fail(check, err)
		return nil
	}
	names, err := owner.NamesByID(ctx, store, nil)
	if err != nil {
		return err
	}
	sealed, opened := map[string]map[string][]byte{}, 0
	for _, s := range stored {
		if sealed[s.ConnectionID] == nil {
			if sealed[s.ConnectionID], err = store.SealedCredentials(ctx, s.ConnectionID); err != nil {
				return err
			}
		}
		plain, err := v.Unseal(s.ConnectionID, s.Field, sealed[s.ConnectionID][s.Field])
		clear(plain)
		if err != nil {
			e.fail("credential "+names[s.ConnectionID]+" "+s.Field, err)
			continue
		}
		opened++
	}
	e.ok(check, fmt.Sprintf("%s opened, key in %s", words.Plural(int64(opened), "credential"), v.Place()))
	return nil
}
