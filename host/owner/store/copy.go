package store

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CopiedStore is what a copy of a store holds.
type CopiedStore struct {
	Records int64 `json:"records"` // tombstones included
	Resumed bool  `json:"resumed"` // the copy went on from where an earlier one ended
	Rows    int64 `json:"rows"`    // of all tables
}

// Copy makes the store at to the equal of the one at from, in a file or on PostgreSQL
// either way; from "" is the configured store. Both are paths or addresses, as storage.dsn.
// The event of the change goes into the copy, whose store is the new one. See storage.Copy
// for what is refused.
func Copy(ctx context.Context, o *owner.Owner, from, to string) (*CopiedStore, error) {
	var err error
	if from == "" {
		from = o.Config.StorageDSN()
	} else if from, err = place("--from", from); err != nil {
		return nil, err
	}
	if to, err = place("--to", to); err != nil {
		return nil, err
	}
	done, err := storage.Copy(ctx, storage.CopyOptions{
		From: from, To: to, Now: o.Now, Logger: o.Logger, Alive: holder.Alive, Process: holder.Process,
		Witness: func(ctx context.Context) context.Context { return o.Witness(ctx, "store.copy", "store") },
	})
	if err != nil {
		return nil, err
	}
	return &CopiedStore{Records: done.Records, Resumed: done.Resumed, Rows: done.Rows}, nil
}

// place reads what an owner typed for a store. Its error does not repeat it: there may be a
// password in it (Invariant 5).
func place(flag, typed string) (string, error) {
	server, problem := config.ServerAddress(typed)
	switch {
	case problem != "":
		return "", abi.NewError(abi.CodeUsage, "the store of "+flag+" "+problem, "name a file, or postgres://user@host:5432/database")
	case server != "":
		return server, nil
	}
	return typed, nil
}
