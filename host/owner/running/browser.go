package running

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// sealing is a Browser whose sessions are sealed like credentials.
type sealing struct {
	run.Browser

	store *storage.Store
	vault vault.Options
}

// Open opens the browser of a run.
func (s *sealing) Open(ctx context.Context, b run.BrowserRun) (run.Browsing, error) {
	b.Sealer = &sealer{s, b.Connection.ID}
	return s.Browser.Open(ctx, b)
}

// sealer seals the session of one connection.
type sealer struct {
	*sealing

	connection string
}

// session is what a session is sealed as.
const session = "browser_session"

// Seal seals a session, and makes the key where nothing is sealed so far.
func (s *sealer) Seal(ctx context.Context, plain []byte) ([]byte, error) {
	v, err := credential.OpenVault(ctx, s.store, s.vault, true)
	if err != nil {
		return nil, err
	}
	return v.Seal(s.connection, session, plain)
}

// Unseal opens what Seal has sealed.
func (s *sealer) Unseal(ctx context.Context, sealed []byte) ([]byte, error) {
	v, err := credential.OpenVault(ctx, s.store, s.vault, false)
	if err != nil {
		return nil, err
	}
	return v.Unseal(s.connection, session, sealed)
}
