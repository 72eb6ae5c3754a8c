package main

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/pdpp-host/pdpp-host/host/grant/desk"
)

const (
	crowdRecords     = 100_000 // of the store in which a crowd comes
	crowdConnections = 1000
	crowdApps        = 990 // a host knows a thousand
	crowdBefore      = 2   // rounds before it comes: the first has the second beside it as its control
)

// crowd measures what a reader waits when thousands of others may read, and a thousand connections have
// the same stream: nothing of it should grow.
func (b *bench) crowd() error {
	ctx := context.Background()
	title(fmt.Sprintf("Reads of one app beside %d grants of %d other apps, and %d connections", b.crowded, min(b.crowded, crowdApps), crowdConnections), "make bench BENCH='-only crowd'")
	r, err := newReaders(ctx, filepath.Join(b.dir, "crowd"), crowdRecords)
	if err != nil {
		return err
	}
	defer r.close()
	idle, _, err := r.changes(ctx, "beginning")
	if err != nil {
		return err
	}
	sides := func() []*side {
		return []*side{
			r.asks("page of 100", "", r.whole, list),
			r.asks("changes, idle", "", r.whole, list+"&changes_since="+url.QueryEscape(idle)),
			r.asks("exact count of a stream", "", r.whole, "/v1/streams/s0/aggregate?metric=count"),
			r.asks("search of a rare word", "", r.whole, "/v1/search?q=rare"),
			r.asks("schema", "", r.whole, "/v1/schema?view=compact"),
			r.checks(""),
		}
	}
	var rounds [][]*side
	for round := range crowdBefore + 1 {
		if round == crowdBefore {
			if err := r.gather(ctx, b.crowded); err != nil {
				return err
			}
		}
		rounds = append(rounds, sides())
		if err := b.inTurn(ctx, rounds[round]); err != nil {
			return err
		}
	}
	row("request, p50 / p99", "alone", "alone again: A/A", "in the crowd", "times as long")
	row("---", "---", "---", "---", "---")
	for i, one := range rounds[0] {
		cells := []any{one.name}
		for _, round := range rounds {
			cells = append(cells, round[i].share(50)+" / "+round[i].share(99))
		}
		n := len(one.took) / 2
		row(append(cells, fmt.Sprintf("%.2f", float64(rounds[crowdBefore][i].took[n])/float64(rounds[crowdBefore-1][i].took[n])))...)
	}
	return nil
}

// another makes a grant of an app that is known.
func (r *readers) another(ctx context.Context, client string) error {
	asked, err := r.desk.Push(ctx, desk.Ask{ClientID: client})
	if err != nil {
		return err
	}
	request, err := r.desk.Find(ctx, asked.URI)
	if err != nil {
		return err
	}
	_, err = r.approve(ctx, request.ID, nil)
	return err
}

// gather has others come: grants of apps, and connections with a record each.
func (r *readers) gather(ctx context.Context, apps int) error {
	var ids []string
	for i := range apps {
		if len(ids) <= i%crowdApps {
			c, err := r.desk.Register(ctx, desk.NewClient{Name: "other"})
			if err != nil {
				return err
			}
			ids = append(ids, c.ID)
		}
		if err := r.another(ctx, ids[i%crowdApps]); err != nil {
			return err
		}
	}
	for i := range crowdConnections {
		name := fmt.Sprint("other", i)
		if err := r.connect(ctx, name); err != nil {
			return err
		}
		if err := r.writeStream(ctx, name, "s0", 1, "x"); err != nil {
			return err
		}
	}
	_, err := r.reader.Index.All(ctx, 0)
	return err
}
