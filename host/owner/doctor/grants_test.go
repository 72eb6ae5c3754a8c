package doctor

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/grant/desk"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// RD-33: a grant whose document is not what was approved is found, by its id alone, until it has ended.
func TestDamagedGrants(t *testing.T) {
	t.Parallel()
	store, err := storage.Open(t.Context(), storage.Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	d := &desk.Desk{Store: store, Now: time.Now, Random: rand.Reader}
	id, err := d.Open(t.Context(), "An app")
	if err != nil {
		t.Fatal(err)
	}
	if err := store.KeepReview(t.Context(), id, "", "rev", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	_, err = store.ApproveGrant(t.Context(), storage.Approval{
		Revision: "rev", Manifest: []byte("{}"), Token: storage.GrantToken{ID: "gtk_1", SHA256: "aa", Expires: time.Now().Add(time.Hour)},
		Grant: storage.Grant{ID: "grt_1", RequestID: id, ClientID: "cl_1", Document: []byte(`{"canary":1}`), SHA256: grant.Hash([]byte("another")), Review: []byte("{}"), Declaration: "bb", Issued: time.Now()},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := &exam{Owner: owner.New(owner.Deps{Open: func(context.Context) (*storage.Store, error) { return store, nil }, Now: time.Now})}
	if err := e.grants(t.Context(), store); err != nil || len(e.all) != 1 || e.all[0].Code != string(grant.CodeInvalid) || !strings.Contains(e.all[0].Message, "grt_1") || strings.Contains(e.all[0].Message, "canary") {
		t.Fatalf("got %+v, %v, want one finding about grt_1", e.all, err)
	}
	if _, err := store.RevokeGrant(t.Context(), "grt_1"); err != nil {
		t.Fatal(err)
	}
	e.all = nil
	if err := e.grants(t.Context(), store); err != nil || len(e.all) != 1 || e.all[0].Outcome != Healthy {
		t.Errorf("after it has ended: got %+v, %v, want nothing wrong", e.all, err)
	}
}
