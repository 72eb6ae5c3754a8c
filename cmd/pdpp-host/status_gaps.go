package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

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
	if len(e.MissingRecords()) > 0 { // which say it as it is now
		gaps = slices.DeleteFunc(gaps, func(g run.KnownGap) bool { return g.Kind == run.KindRejectedEarlier })
	}
	return gaps, nil
}

// writeRejected tells which records are missing for having been rejected, and what
// brings them.
func (a *app) writeRejected(w io.Writer, connection string, list []storage.MissingRecords) {
	for _, r := range list {
		line := r.Stream + ": " + output.Plural(r.Listed+r.Unlisted, "record") + " failed the stream's schema and did not arrive since"
		ends := "; a run that delivers them or finds them deleted ends this, and so does, once the connector is fixed, "
		if r.Listed == 0 {
			ends = "; once the connector is fixed, this ends with "
		} else if r.Unlisted > 0 {
			ends = "; " + output.Count(r.Unlisted) + " of them are only counted, and once the connector is fixed, all of this ends with "
		}
		fmt.Fprintf(w, "  rejected: %s%s\n", output.Clean(line+ends), a.advice("pdpp-host run "+quoted(connection)+" --full-refresh"))
	}
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
