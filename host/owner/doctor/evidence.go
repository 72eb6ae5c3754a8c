package doctor

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// evidence holds what each connection's health rests on to what it is made
// from, and with repair makes it again where the two differ. Only a deep look does.
func (e *exam) evidence(ctx context.Context, store *storage.Store) error {
	const check = "evidence"
	if !e.deep {
		return nil
	}
	differ, err := store.CheckEvidence(ctx)
	if err != nil {
		return err
	}
	for _, name := range differ {
		if !e.repair {
			e.broken(check, "what is kept of "+name+"'s health is not what its runs say", string(abi.CodeStoreCorrupt),
				"make it again with: pdpp-host doctor --repair")
			continue
		}
		if err := RepairEvidence(ctx, e.Owner, name); err != nil {
			return err
		}
		e.add(check, Notice, "what is kept of "+name+"'s health was not what its runs say; it was made again", "nothing has to be done")
	}
	if len(differ) == 0 {
		e.ok(check, "agrees with the runs of every connection")
	} else if e.repair {
		again, err := store.CheckEvidence(ctx)
		if err != nil {
			return err
		}
		if len(again) > 0 {
			e.broken(check, words.Plural(int64(len(again)), "connection")+" could not be repaired", string(abi.CodeStoreCorrupt),
				"copy the data folder somewhere safe, then restore a back-up")
		}
	}
	return nil
}
