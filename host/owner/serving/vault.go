package serving

import (
	"context"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// vaultWait is how long a pass waits for the keyring: one that asks its owner first
// is no obstacle to the other connections.
const vaultWait = 2 * time.Second

// isVaults reports whether a refusal comes from the vault that seals credentials, which
// belongs to the process and not to a connection.
func isVaults(code abi.Code) bool { return strings.HasPrefix(string(code), "vault.") }

// vaultLook is what one pass has seen of the vault. All connections share the key and the
// keyring, and a keyring that asks its owner asks once a pass.
type vaultLook struct {
	keyring vault.Keyring // nil: there is none, or it did not answer
	vault   *vault.Vault  // nil: it was not opened so far
}

// vaultOpens reports whether a run of the connection would get what is stored for it.
// No credential is another one where a key came back or a keyring was unlocked: only
// opening them shows it.
func (s *Server) vaultOpens(ctx context.Context, c *storage.Connection, look *vaultLook) (bool, error) {
	m, err := s.manifest(ctx, c)
	if err != nil {
		return false, nil //nolint:nilerr // there is nothing to look with
	}
	waiting, cancel := context.WithTimeout(ctx, vaultWait)
	defer cancel()
	held := credential.New(s.store, s.Vault, c, manifest.Credentials(m), s.Getenv)
	held.Options.Keyring, held.Vault = look.keyring, look.vault
	err = held.Check(waiting)
	look.vault = held.Vault
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

// credentials looks whether the credentials of a connection were renewed.
func (s *Server) credentials() *credential.Probe {
	return &credential.Probe{Store: s.store, Getenv: s.Getenv, Now: s.Now, Serves: !s.began.IsZero()}
}

// keepRejected keeps with a run that failed for its credentials which it had of the
// environment.
func (s *Server) keepRejected(ctx context.Context, c *storage.Connection, r *run.Result, err error) {
	ended := schedule.Ended{Status: schedule.StatusRefused, Code: string(abi.CodeOf(err))}
	if err == nil {
		ended = schedule.Ended{Status: r.Status, Class: schedule.FailureClass(r.Reason, "")}
		if f := r.Error; f != nil {
			ended.Class, ended.Code, ended.RecoveryHint = schedule.FailureClass(r.Reason, f.Code), f.Code, f.RecoveryHint
		}
	}
	if !ended.CredentialsAtFault() {
		return
	}
	ctx = context.WithoutCancel(ctx)
	// Read again: the first run has accepted the manifest.
	now, err := s.store.Connection(ctx, c.ID)
	if err != nil {
		return // it was removed meanwhile
	}
	stored, err := s.store.StoredCredentials(ctx, now.ID)
	if err == nil {
		err = s.store.RejectEnvironment(ctx, now.ID, s.credentials().Environment(now, stored))
	}
	if err != nil {
		s.Logger.Warn("it cannot be kept which credentials were rejected", "code", abi.CodeOf(err))
	}
}
