package run

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/credential"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// ReplaceCredentials is PutCredentials for what the run renewed. It replaces values
// that the run has read and no others: read has the sealed bytes of each field that
// is replaced, nil for a field that was not stored. Where another value is stored by
// now, the error is storage.credential_changed and the run goes on; when the run has
// lost its lease it is storage.fenced. Either way nothing is stored.
func (w *Writer) ReplaceCredentials(ctx context.Context, read, sealed map[string][]byte) error {
	var changed error
	err := w.await(ctx, func(t *db.Tx) error {
		stored, err := credential.SealedCredentials(t.Ctx, t.DB, w.To.ConnectionID)
		if err != nil {
			return err
		}
		for _, field := range slices.Sorted(maps.Keys(sealed)) {
			if !bytes.Equal(stored[field], read[field]) {
				changed = abi.NewError(credential.CodeCredentialChanged, "the credential was stored anew while the run renewed it",
					"run the connection again: it starts from the newer one").WithDetail("field " + field)
				return nil
			}
		}
		return credential.PutCredentials(t, w.To.ConnectionID, sealed)
	})
	if err != nil {
		return err
	}
	return changed
}
