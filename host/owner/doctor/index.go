package doctor

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CodeIndexDiffers is the code of a finding about the read state.
const CodeIndexDiffers abi.Code = "read.index_differs"

// index holds what lists and searches are answered from to the records, and with repair
// makes it again. A look that is not deep tells only whether it can be used at all.
func (e *exam) index(ctx context.Context, store *storage.Store) error {
	const check = "index"
	var streams []int64
	var all bool
	var err error
	agrees := "agrees with the records that it has"
	if e.deep {
		streams, all, err = store.CheckRead(ctx)
	} else {
		agrees = "is there"
		var at storage.ReadPosition
		if at, err = store.Position(ctx); err == nil {
			all = at.Top() > at.Last
		}
	}
	if err != nil {
		return err
	}
	what := "the index of " + words.Plural(int64(len(streams)), "stream") + " is not what the records say"
	if all {
		what = "the index is not what the records say"
	}
	switch {
	case !all && len(streams) == 0:
		e.ok(check, agrees)
	case !e.repair:
		e.broken(check, what, string(CodeIndexDiffers), "make it again with: pdpp-host doctor --repair; no record is affected")
	default:
		if err := RepairIndex(ctx, e.Owner); err != nil {
			return err
		}
		e.add(check, Notice, what+"; it was made again", "nothing has to be done")
	}
	return nil
}
