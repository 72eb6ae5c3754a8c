package main

import (
	"context"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// vaultWait is how long a pass waits for the keyring: one that asks its owner first
// is no obstacle to the other connections.
const vaultWait = 2 * time.Second

// isVaults reports whether a refusal is of what the credentials are sealed with,
// which is the process's and no connection's.
func isVaults(code abi.Code) bool { return strings.HasPrefix(string(code), vaultArea+".") }

const vaultArea = "vault"

// vaultLook is what one pass has seen of the vault. The key and the keyring are of all
// connections, and a keyring that asks its owner asks once a pass.
type vaultLook struct {
	keyring vault.Keyring // nil: there is none, or it did not answer
	vault   *vault.Vault  // nil: it was not opened so far
}

// vaultOpens reports whether a run of the connection would get what is stored for it.
// No credential is another one where a key came back or a keyring was unlocked: only
// opening them shows it.
func (s *server) vaultOpens(ctx context.Context, c *storage.Connection, look *vaultLook) (bool, error) {
	m, err := s.manifest(ctx, c)
	if err != nil {
		return false, nil //nolint:nilerr // there is nothing to look with
	}
	waiting, cancel := context.WithTimeout(ctx, vaultWait)
	defer cancel()
	held := s.app.newSecrets(s.config, s.store, c, manifest.Credentials(m))
	held.options.Keyring, held.vault = look.keyring, look.vault
	err = held.check(waiting)
	look.vault = held.vault
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case isVaults(abi.CodeOf(err)), waiting.Err() != nil:
		if look.vault == nil {
			look.keyring = nil
		}
		return false, nil
	default:
		return false, err
	}
}
