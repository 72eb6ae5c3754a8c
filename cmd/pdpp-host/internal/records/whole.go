package records

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// checkWhole holds what an export saw against the stream's counters, so that a
// damaged store never gives a short export that looks whole. A run may have
// changed the stream meanwhile.
func checkWhole(ctx context.Context, from *owner.StreamReader, before, seen owner.StreamCounts) error {
	after, err := from.Counts(ctx)
	if err != nil {
		return err
	}
	if whole(before, after, seen) {
		return nil
	}
	return abi.NewError(abi.CodeStoreCorrupt, fmt.Sprintf("the export is not whole: %s of %s could be read",
		output.Count(seen.Live), output.Plural(after.Live, "record")),
		"the store is damaged: see what doctor says, with pdpp-host doctor").
		WithDetail(fmt.Sprintf("stream %s of connection %s: found %d and %d deleted, its counters say %d and %d deleted",
			from.Name, from.Connection, seen.Live, seen.Deleted, after.Live, after.Deleted))
}

// whole compares exactly when nothing changed meanwhile. Else it compares rows:
// a record that was deleted stays as a tombstone, so that their number only
// grows, and what was seen lies between the two.
func whole(before, after, seen owner.StreamCounts) bool {
	if before == after {
		return seen.Live == after.Live && seen.Deleted == after.Deleted
	}
	rows := seen.Live + seen.Deleted
	return before.Live+before.Deleted <= rows && rows <= after.Live+after.Deleted
}
