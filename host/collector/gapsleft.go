package collector

import (
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/storage"
)

// GapsLeft counts the gaps of a lane by who gets on with them. The counts are of all,
// the parts that are listed tell which of them stay.
type GapsLeft struct{ ByItself, Somebody, Nobody int64 }

func gapsLeft(n *Counts, stay int64) GapsLeft {
	stay = min(stay, n.GapsOpen)
	return GapsLeft{ByItself: n.BacklogOpen, Somebody: n.GapsOpen - stay, Nobody: stay}
}

// GapsLeft counts what of the source is not done.
func (s *Status) GapsLeft() GapsLeft {
	var stay int64
	for i := range s.Open.Parts {
		if p := &s.Open.Parts[i]; p.Kind == kindUnit && p.Status == storage.UnitGap && p.whose() == nobody {
			stay++
		}
	}
	return gapsLeft(&s.Outbox.Counts, stay)
}

// GapsLeft counts what of the source is not done after the execution.
func (r *RunResult) GapsLeft() GapsLeft {
	seen := map[[2]string]bool{}
	if r.Run != nil {
		for i := range r.Run.KnownGaps {
			if g := &r.Run.KnownGaps[i]; final(g.RecoveryHint) {
				seen[[2]string{g.Stream, g.Reason}] = true
			}
		}
	}
	return gapsLeft(&r.Outbox, int64(len(seen)))
}

// String says it in words: "2 gaps: 1 needs somebody, 1 is tried again by itself".
func (g GapsLeft) String() string {
	var parts []string
	for _, x := range []struct {
		n         int64
		one, many string
	}{
		{g.Somebody, "needs somebody", "need somebody"}, {g.Nobody, "stays missing", "stay missing"},
		{g.ByItself, "is tried again by itself", "are tried again by themselves"},
	} {
		switch {
		case x.n == 1:
			parts = append(parts, "1 "+x.one)
		case x.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.many))
		}
	}
	return counted(g.ByItself+g.Somebody+g.Nobody, "gap") + ": " + strings.Join(parts, ", ")
}
