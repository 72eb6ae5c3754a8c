package main

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/storage"
)

// checkEvidence holds what each connection's health rests on to what it is made
// from, and with repair makes it again where the two differ.
func (a *app) checkEvidence(ctx context.Context, f *findings, store *storage.Store, repair bool) error {
	const check = "evidence"
	differ, err := store.CheckEvidence(ctx)
	if err != nil {
		return err
	}
	for _, name := range differ {
		if !repair {
			f.all = append(f.all, finding{check, broken, "what is kept of " + name + "'s health is not what its runs say", string(abi.CodeStoreCorrupt),
				"make it again with: pdpp-host doctor --repair"})
			continue
		}
		if err := a.owner.RepairEvidence(ctx, name); err != nil {
			return err
		}
		f.add(check, notice, "what is kept of "+name+"'s health was not what its runs say; it was made again", "nothing has to be done")
	}
	if len(differ) == 0 {
		f.ok(check, "agrees with the runs of every connection")
	} else if repair {
		again, err := store.CheckEvidence(ctx)
		if err != nil {
			return err
		}
		if len(again) > 0 {
			f.all = append(f.all, finding{check, broken, output.Plural(int64(len(again)), "connection") + " could not be repaired", string(abi.CodeStoreCorrupt),
				"copy the data folder somewhere safe, then restore a back-up"})
		}
	}
	return nil
}
