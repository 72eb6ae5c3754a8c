package sim

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"text/tabwriter"

	"go.uber.org/goleak"
)

var (
	table = flag.Bool("table", false, "write the table")
	only  = flag.String("only", "", "the shape to measure; empty: all")
	seed  = flag.Uint64("seed", 1, "of everything that is drawn for the table")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// section is one part of the table.
type section struct {
	title   string
	shapes  []shape
	measure measure
	plain   bool // the plain client is measured, too
}

type measure func(context.Context, *shape, uint64) (figure, error)

// figure measures one shape in a separate bubble.
func (m measure) figure(t *testing.T, s *shape, seed uint64) (f figure) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if f, err = m(t.Context(), s, seed); err != nil {
			t.Error(err)
		}
	})
	return f
}

var sections = []section{
	{"steady limits, end to end (at least 0.90, under 1 % refused, no ban)", steady, steadily, true},
	{"an hour's window that nobody tells of, over a day (at least 0.85, under 1 % refused, no ban)", hours, hourly, true},
	{"a list, which one run has to fetch whole", lists, listed, false},
	{"a limit that halves, minutes 8 to 10 after it (at least 0.85, no ban)", halved, halvedly, false},
	{"the first 30 s of a second run (at least 0.90)", warm, warmly, false},
}

// report measures every shape, writes the table, and returns how many figures
// are missed.
func report(t *testing.T, to io.Writer, seed uint64) (missed int) {
	t.Helper()
	w := tabwriter.NewWriter(to, 2, 0, 2, ' ', 0)
	for _, s := range sections {
		fmt.Fprintf(w, "%s\n  provider\tof the oracle\trefused\tbans\tplain client\trefused\tbans\truns that ended before all was fetched\n", s.title)
		for i := range s.shapes {
			if *only != "" && *only != s.shapes[i].name {
				continue
			}
			f := s.measure.figure(t, &s.shapes[i], seed)
			plain := "\t\t\t"
			if s.plain && *table {
				p := measure(plainly).figure(t, &s.shapes[i], seed)
				plain = fmt.Sprintf("%.2f\t%.1f %%\t%d\t", p.share, 100*p.refused, p.bans)
			}
			ended := ""
			if n := len(f.endings); n > 0 {
				ended = fmt.Sprintf("%d: %s", n, f.endings[0])
			}
			if !f.ok {
				missed++
				ended += " MISSED"
			}
			fmt.Fprintf(w, "  %s\t%.3f\t%.2f %%\t%d\t%s%s\n", s.shapes[i].name, f.share, 100*f.refused, f.bans, plain, ended)
		}
	}
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	return missed
}

// PB-D2, RT-25.2, RT-26.1: the governor finds the limits of providers that it knows
// nothing about, of 33 shapes and more, without being locked out, and waits where a
// minute's wait would help.
func TestFiguresAreReached(t *testing.T) { //nolint:paralleltest // its bubbles are made one after the other
	if len(steady) < 33 {
		t.Errorf("%d steady shapes, want 33", len(steady))
	}
	var out bytes.Buffer
	if missed := report(t, &out, *seed); missed > 0 {
		t.Errorf("%d figures are missed\n%s, want 0", missed, out.String())
	}
}

// The simulation gives the same result twice, or its table would mean nothing.
func TestSeedDecides(t *testing.T) { //nolint:paralleltest // its bubbles are made one after the other
	for _, s := range lists {
		one, two := measure(listed).figure(t, &s, 9), measure(listed).figure(t, &s, 9)
		if fmt.Sprint(one) != fmt.Sprint(two) {
			t.Errorf("%s: got %v and %v with one seed, want one = %v", s.name, one, two, fmt.Sprint(two))
		}
	}
}

// TestTable writes the table of `make sim`.
func TestTable(t *testing.T) { //nolint:paralleltest // it writes to standard output
	if !*table {
		t.Skip("a table for people: -table writes it")
	}
	if missed := report(t, os.Stdout, *seed); missed > 0 {
		t.Errorf("%d figures are missed, want 0", missed)
	}
}
