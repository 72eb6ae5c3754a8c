package main

import (
	"context"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// vaultWait is how long a pass waits for the keyring: one that asks its owner first
// is no obstacle to the other connections.
const vaultWait = 2 * time.Second

// isVaults reports whether a refusal is of what the credentials are sealed with,
// which is the process's and no connection's.
func isVaults(code abi.Code) bool { return strings.HasPrefix(string(code), vaultArea+".") }

const vaultArea = "vault"

// vaultOpens reports whether a run of the connection would get what is stored for it.
// No credential is another one where a key came back or a keyring was unlocked: only
// opening them shows it.
func (s *server) vaultOpens(ctx context.Context, c *storage.Connection) (bool, error) {
	m, err := s.manifest(ctx, c)
	if err != nil {
		return false, nil //nolint:nilerr // there is nothing to look with
	}
	waiting, cancel := context.WithTimeout(ctx, vaultWait)
	defer cancel()
	switch err := s.app.newSecrets(s.config, s.store, c, credentialFields(m)).check(waiting); {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case isVaults(abi.CodeOf(err)), waiting.Err() != nil:
		return false, nil
	default:
		return false, err
	}
}
