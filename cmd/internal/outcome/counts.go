package outcome

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Count says how many records had something done to them.
type Count struct {
	N    int64
	Word string
}

// Counts lists what was done to records, zeros left out.
func Counts(c run.Counts, rejected int64) []Count {
	all := []Count{{c.New, "new"}, {c.Changed, "changed"}, {c.Deleted, "deleted"}, {c.Unchanged, "unchanged"}, {rejected, "rejected"}, {c.Suppressed, "deleted by you"}}
	return slices.DeleteFunc(all, func(c Count) bool { return c.N == 0 })
}

// Counted says what was done to records: "3 new, 18 204 unchanged"; "": nothing.
func Counted(c run.Counts, rejected int64) string {
	var parts []string
	for _, one := range Counts(c, rejected) {
		parts = append(parts, output.Count(one.N)+" "+one.Word)
	}
	return strings.Join(parts, ", ")
}
