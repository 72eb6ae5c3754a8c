package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// leftOut returns what the connection's run said that it did not collect: the words
// behind a verdict that names a gap.
func leftOut(ctx context.Context, store *storage.Store, e *storage.Evidence) ([]run.KnownGap, error) {
	told, err := store.LeftOut(ctx, e)
	var gaps []run.KnownGap
	if err != nil || json.Unmarshal(told, &gaps) != nil {
		return nil, err
	}
	return gaps, nil
}

// writeLeftOut tells of them in the words of `run`.
func writeLeftOut(w io.Writer, gaps []run.KnownGap) {
	for _, g := range gaps {
		line := outcome.GapLine(g)
		if names := outcome.GapNames(g, mostNamed); names != "" {
			line += ": " + names
		}
		fmt.Fprintf(w, "%-24s %s\n", "not collected", output.Clean(line))
	}
}
