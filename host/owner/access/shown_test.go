package access_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/storage"
)

// An owner who is signed in, or has a token, reads what is wrong with a store that takes no writes,
// although the host cannot note that they were here. It lets in no owner anew.
func TestAStoreWithoutWritesKnowsItsOwner(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	session := r.claim().Secret
	token, err := access.CreateToken(ctx, r.operator(), access.NewToken{Name: "a program", Scope: access.ScopeRead})
	r.ok(err)
	r.ok(r.LetGo())
	r.Logger = slog.New(slog.DiscardHandler)
	full := abi.NewError(abi.CodeStoreFull, "no space left for the store", "make room")
	r.Show = func(ctx context.Context, why error) (*storage.Store, error) {
		return storage.OpenToShow(ctx, storage.Options{Path: filepath.Join(r.dir, "pdpp.sqlite"), Now: r.Now}, why)
	}
	_, err = r.StoreToShow(ctx, full)
	r.ok(err)
	r.forward(2 * time.Hour)
	_, err = access.BySession(ctx, r.Owner, session)
	r.ok(err)
	_, err = access.ByToken(ctx, r.Owner, token.Secret)
	r.ok(err)
	_, err = access.SignInWith(ctx, r.Owner, &access.Attempts{}, access.SignIn{Password: password})
	r.code(err, abi.CodeStoreFull)
}
