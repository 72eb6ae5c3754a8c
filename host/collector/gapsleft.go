package collector

import (
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/storage"
)

// GapsLeft counts the gaps of a lane by who gets on with them. The counts cover all of them;
// the listed parts show which of them stay.
type GapsLeft struct{ ByItself, Somebody, Nobody int64 }

func gapsLeft(n *Counts, stay int64) GapsLeft {
	stay = min(stay, n.GapsOpen)
	return GapsLeft{ByItself: n.BacklogOpen, Somebody: n.GapsOpen - stay, Nobody: stay}
}

// GapsLeft counts what of the source is not done.
func (s *Status) GapsLeft() GapsLeft { return gapsLeft(&s.Outbox.Counts, s.Open.stay()) }

// GapsLeft counts what of the source is not done after the execution, whichever run
// left it: the lane's open parts are counted, as a status counts them.
func (r *RunResult) GapsLeft() GapsLeft { return gapsLeft(&r.Outbox, r.stay) }

// stay is how many of the listed gaps stay missing, whoever does what.
func (w *OpenWork) stay() (n int64) {
	for i := range w.Parts {
		if p := &w.Parts[i]; p.Kind == kindUnit && p.Status == storage.UnitGap && p.whose() == nobody {
			n++
		}
	}
	return n
}

// stay is how many gaps of a lane stay missing. Of one that could not be read somebody
// has to look at every gap.
func stay(lane *storage.LaneInfo, known *memory) int64 {
	if lane == nil {
		return 0
	}
	open := openWorkOf(lane, known)
	return open.stay()
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
