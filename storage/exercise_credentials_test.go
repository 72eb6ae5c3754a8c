package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// exerciseCredentials: sealed bytes come back as they were, several are kept
// together or not at all, and lists never hold them.
func exerciseCredentials(t *testing.T, x *exercise) {
	ctx := t.Context()
	one, two := x.connection("one"), x.connection("two")
	sealed := []byte("\x00\xff'sealed\"")
	x.ok(x.s.PutCredentials(ctx, one.ID, map[string][]byte{"token": sealed, "refresh": []byte("r1")}))
	x.ok(x.s.PutCredentials(ctx, two.ID, map[string][]byte{"token": []byte("other")}))
	first := x.clock.Now().UTC()
	x.clock.forward(time.Hour)
	x.ok(x.s.PutCredentials(ctx, one.ID, map[string][]byte{"refresh": []byte("r2"), "user": []byte("u")}))
	x.ok(x.s.PutCredentials(ctx, one.ID, nil))

	got, err := x.s.SealedCredentials(ctx, one.ID)
	x.ok(err)
	x.same(got, map[string][]byte{"token": sealed, "refresh": []byte("r2"), "user": []byte("u")})
	list, err := x.s.StoredCredentials(ctx, one.ID)
	x.ok(err)
	later := first.Add(time.Hour)
	x.same(list, []StoredCredential{{ConnectionID: one.ID, Field: "refresh", UpdatedAt: later}, {ConnectionID: one.ID, Field: "token", UpdatedAt: first}, {ConnectionID: one.ID, Field: "user", UpdatedAt: later}})
	list, err = x.s.StoredCredentials(ctx, "")
	x.ok(err)
	x.same(len(list), 4)

	// All or none: a connection that is gone, and a value that cannot be kept.
	x.code(x.s.PutCredentials(ctx, "nobody", map[string][]byte{"token": sealed}), abi.CodeConnectionUnknown)
	if err := x.s.PutCredentials(ctx, one.ID, map[string][]byte{"a": []byte("1"), "b": nil}); err == nil {
		x.Error("got a credential of nothing, want an error")
	}
	list, err = x.s.StoredCredentials(ctx, one.ID)
	x.ok(err)
	x.same(len(list), 3)

	had, err := x.s.DeleteCredential(ctx, one.ID, "user")
	x.ok(err)
	x.same(had, true)
	had, err = x.s.DeleteCredential(ctx, one.ID, "user")
	x.ok(err)
	x.same(had, false)

	// A renewal replaces what its run has read, and nothing newer.
	renew := func(w *RunWriter, read, value string) error {
		was := map[string][]byte{}
		if read != "" {
			was["refresh"] = []byte(read)
		}
		return w.ReplaceCredentials(ctx, was, map[string][]byte{"refresh": []byte(value)})
	}
	stored := func(want string) {
		t.Helper()
		got, err := x.s.SealedCredentials(ctx, one.ID)
		x.ok(err)
		if string(got["refresh"]) != want {
			t.Errorf("stored is %q, want %q", got["refresh"], want)
		}
	}
	w := x.begin("one")
	x.ok(renew(w, "r2", "r3"))
	stored("r3")
	x.code(renew(w, "r2", "r4"), CodeCredentialChanged)
	x.code(renew(w, "", "r4"), CodeCredentialChanged)
	stored("r3")
	x.ok(renew(w, "r3", "r5")) // the refused ones did not end the run
	// A run that lost its lease replaces nothing, whatever it has read.
	x.clock.forward(48 * time.Hour)
	next := x.begin("one")
	x.code(renew(w, "r5", "stale"), abi.CodeFenced)
	stored("r5")
	x.finish(next)

	// A removed connection leaves none, and one of the same name gets none.
	x.ok(x.s.RemoveConnection(ctx, "one", nil))
	list, err = x.s.StoredCredentials(ctx, "")
	x.ok(err)
	x.same(len(list), 1)
	got, err = x.s.SealedCredentials(ctx, x.connection("one").ID)
	x.ok(err)
	x.same(len(got), 0)

	// They outlive the program.
	x.ok(x.s.Close())
	x.s = x.open(t, x.clock.Now)
	got, err = x.s.SealedCredentials(ctx, two.ID)
	x.ok(err)
	x.same(got, map[string][]byte{"token": []byte("other")})
}
