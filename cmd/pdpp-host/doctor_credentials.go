package main

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// checkCredentials looks at the key and opens every stored credential. It makes
// no key, and asks no keyring while nothing is stored.
func (a *app) checkCredentials(ctx context.Context, f *findings, c *config.Config, store *storage.Store) error {
	const check = "credentials"
	stored, err := store.StoredCredentials(ctx, "")
	if err != nil {
		return err
	}
	if len(stored) == 0 {
		if _, err := vault.CheckFile(c.DataDir()); err != nil && c.CredentialsKey() != config.CredentialsKeyring {
			f.fail(check, err)
			return nil
		}
		f.ok(check, "none stored")
		return nil
	}
	o := a.VaultOptions(c)
	o.Sealed = true
	v, err := vault.Open(ctx, o)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		f.fail(check, err)
		return nil
	}
	names, err := owner.NamesByID(ctx, store)
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
			f.fail("credential "+names[s.ConnectionID]+" "+s.Field, err)
			continue
		}
		opened++
	}
	f.ok(check, fmt.Sprintf("%s opened, key in %s", output.Plural(int64(opened), "credential"), v.Place()))
	return nil
}
