package show

import (
	"fmt"
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/disk"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// WriteRejected tells which records are missing for having been rejected, and what
// brings them.
func WriteRejected(w io.Writer, advice func(string) string, connection string, list []owner.MissingRecords) {
	for _, r := range list {
		line := r.Stream + ": " + output.Plural(r.Listed+r.Unlisted, "record") + " failed the stream's schema and did not arrive since"
		ends := "; a run that delivers them or finds them deleted ends this, and so does, once the connector is fixed, "
		if r.Listed == 0 {
			ends = "; once the connector is fixed, this ends with "
		} else if r.Unlisted > 0 {
			ends = "; " + output.Count(r.Unlisted) + " of them are only counted, and once the connector is fixed, all of this ends with "
		}
		fmt.Fprintf(w, "  rejected: %s%s\n", output.Clean(line+ends), advice("pdpp-host run "+words.Quoted(connection)+" --full-refresh"))
	}
}

// Cause names what keeps a connection from being collected: its code, where, and
// the run that met it; "" where nothing is known.
func Cause(dataDir string, b *view.Brief) string {
	if b.Cause == nil {
		return ""
	}
	text, place := string(b.Cause.Code), b.Cause.Place
	if b.Cause.Code == abi.CauseDiskFull {
		place = dataDir
		if free, known := disk.Free(place); known {
			place += ", which has " + output.Bytes(int64(min(free, 1<<62))) + " left now"
		}
	}
	if place != "" {
		text += " (" + place + ")"
	}
	return output.Clean(text) + "; its run: " + "pdpp-host runs show " + words.Quoted(b.Cause.RunID)
}
