package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

//go:embed equivalent.txt
var equivalentText string

type options struct {
	n    int
	skip int
	seed uint64
	only string
	root string
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 100, "mutations to try")
	flag.IntVar(&o.skip, "skip", 0, "go on behind as many, which were tried before")
	flag.Uint64Var(&o.seed, "seed", 1, "which ones are chosen")
	flag.StringVar(&o.only, "only", "", "try those of this room alone")
	flag.StringVar(&o.root, "root", ".", "the project's folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// How long the tests of a room may take with a mutation: some that are not noticed otherwise
// make a test wait for ever.
const (
	slower   = 4 // times what they take without
	atLeast  = time.Minute
	untimely = 10 * time.Minute // without a mutation
)

var errUnnoticed = errors.New("mend the tests, or list what nobody can notice in testplugins/mutate/equivalent.txt")

// run tries mutations and tells of those that no test noticed.
func run(ctx context.Context, o options, to io.Writer) error {
	known := readEquivalents(equivalentText)
	var byRoom [][]candidate
	for _, r := range rooms {
		if o.only != "" && o.only != r.folder {
			continue
		}
		list, err := candidates(o.root, r)
		if err != nil {
			return err
		}
		byRoom = append(byRoom, list)
	}
	if o.only == "" {
		for _, key := range known.stale(byRoom) {
			fmt.Fprintf(to, "no longer there, and to be taken off the list: %s\n", strings.ReplaceAll(key, "\n", " | "))
		}
	}
	t := trial{o: o, to: to, known: known, limits: map[string]time.Duration{}}
	all := order(o.seed, byRoom)
	for at := max(o.skip, 0); at < len(all) && t.tried < o.n; at++ {
		before := t.tried
		if err := t.one(ctx, &all[at]); err != nil {
			return fmt.Errorf("go on from here with -skip %d: %w", at, err)
		}
		if t.tried > before && t.tried%10 == 0 {
			fmt.Fprintf(to, "%d tried, to position %d\n", t.tried, at)
		}
	}
	fmt.Fprintf(to, "%d mutations by seed %d: %d noticed, %d equivalent, %d not noticed\n", t.tried, o.seed, t.noticed, t.equivalent, t.unnoticed)
	if t.unnoticed > 0 {
		return errUnnoticed
	}
	return nil
}

// trial counts what became of the mutations.
type trial struct {
	o      options
	to     io.Writer
	known  equivalents
	limits map[string]time.Duration // by room, once its tests have passed

	tried, noticed, equivalent, unnoticed int
}

// one tries a mutation. One that does not compile counts for nothing.
func (t *trial) one(ctx context.Context, c *candidate) error {
	if t.known[keyOf(&c.mutation)] != "" {
		t.tried, t.equivalent = t.tried+1, t.equivalent+1
		return nil
	}
	limit, err := t.limit(ctx, c.room)
	if err != nil {
		return err
	}
	is, err := try(ctx, t.o.root, c, limit)
	if err != nil {
		return err
	}
	switch is {
	case unbuilt:
		return nil
	case noticed:
		t.noticed++
	case unnoticed:
		t.unnoticed++
		fmt.Fprintf(t.to, "not noticed: %s\n", c.String())
	}
	t.tried++
	return nil
}

// limit returns how long the tests of a room may take. They have to pass without a mutation.
func (t *trial) limit(ctx context.Context, r room) (time.Duration, error) {
	if d := t.limits[r.folder]; d > 0 {
		return d, nil
	}
	began := time.Now()
	if out, err := goTest(ctx, t.o.root, r, untimely); err != nil {
		return 0, fmt.Errorf("the tests of %s fail without a mutation: %w\n%s", r.folder, err, out)
	}
	t.limits[r.folder] = max(atLeast, slower*time.Since(began))
	return t.limits[r.folder], nil
}
