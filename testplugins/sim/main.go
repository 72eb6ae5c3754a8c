package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

func main() {
	seed := flag.Uint64("seed", 1, "of everything that is drawn")
	flag.Parse()
	missed, err := report(context.Background(), os.Stdout, *seed)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case missed > 0:
		fmt.Fprintf(os.Stderr, "%d figures are missed\n", missed)
		os.Exit(1)
	}
}

// section is one part of the table.
type section struct {
	title   string
	shapes  []shape
	measure func(context.Context, *shape, uint64) (figure, error)
}

var sections = []section{
	{"steady limits, from minute 5 on (at least 0.90, under 1 % refused)", steady, measureSteady},
	{"a limit that halves, minutes 8 to 10 after it (at least 0.85, no ban)", halved, measureHalved},
	{"the first 30 s of a second run (at least 0.90)", warm, measureWarm},
}

// report measures every shape, writes the table, and returns how many figures
// are missed.
func report(ctx context.Context, to io.Writer, seed uint64) (missed int, err error) {
	w := tabwriter.NewWriter(to, 2, 0, 2, ' ', 0)
	for _, s := range sections {
		fmt.Fprintf(w, "%s\n  provider\tof the oracle\trefused\tbans\tplain client\trefused\tbans\t\n", s.title)
		for i := range s.shapes {
			shape := s.shapes[i] // measuring sets when the limit changes
			f, err := s.measure(ctx, &shape, seed)
			if err != nil {
				return missed, err
			}
			plain := "\t\t\t"
			if f.plain != (figurePlain{}) {
				plain = fmt.Sprintf("%.2f\t%.1f %%\t%d\t", f.plain.share, 100*f.plain.refused, f.plain.bans)
			}
			verdict := ""
			if !f.ok {
				missed++
				verdict = "missed"
			}
			fmt.Fprintf(w, "  %s\t%.3f\t%.2f %%\t%d\t%s%s\n", f.shape, f.share, 100*f.refused, f.bans, plain, verdict)
		}
	}
	return missed, w.Flush()
}
