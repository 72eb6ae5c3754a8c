package doctor

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// grants looks for grants that are not what their owner approved: nobody reads by them (RD-33).
func (e *exam) grants(ctx context.Context, store *storage.Store) error {
	const check = "grants"
	all, err := store.Grants(ctx)
	if err != nil {
		return err
	}
	damaged := false
	for i := range all {
		g := &all[i]
		if _, err := grant.ReadDocument(g.Document, g.SHA256); err != nil && g.Revoked.IsZero() {
			e.broken(check, "the grant "+g.ID+" is not what was approved", string(grant.CodeInvalid), "nothing is read by it. End it: pdpp-host grants revoke "+g.ID+"; then let the app ask again")
			damaged = true
		}
	}
	if len(all) > 0 && !damaged {
		e.ok(check, words.Plural(int64(len(all)), "grant")+" looked at")
	}
	return nil
}
