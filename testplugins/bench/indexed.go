package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/storage"
)

// indexed compares runs of the firehose with runs beside which a host serves and indexes what they
// write, and then how fast all of it is indexed with nobody else at work.
func (b *bench) indexed() error {
	title(fmt.Sprintf("Indexing: %d records of the firehose while a host serves", b.records), "make bench BENCH='-only indexed'")
	var alone, beside, again []time.Duration
	dir := filepath.Join(b.dir, "indexed")
	for i := range b.runs + 1 { // the first round warms up
		for _, side := range []string{"alone", "beside", "again"} {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			stop := func() {}
			if side == "beside" {
				s, err := b.serve(dir)
				if err != nil {
					return err
				}
				stop = func() { s.stop() }
			}
			took, err := b.firehoseHost(dir)
			stop()
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", side, err)
			case i == 0:
			case side == "alone":
				alone = append(alone, took)
			case side == "beside":
				beside = append(beside, took)
			default:
				again = append(again, took)
			}
		}
	}
	figureRow("`run` alone (A)", alone)
	figureRow("the same while a host serves the store", beside)
	figureRow("**share of the speed that is left** (promised: 0.75)", ratios(alone, beside))
	figureRow("A/A control", ratios(alone, again))
	return b.indexes(dir)
}

// indexes makes the read state of a store anew, each time from nothing.
func (b *bench) indexes(dir string) error {
	ctx := context.Background()
	store, err := storage.Open(ctx, storage.Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		return err
	}
	var rates []int64
	for range b.runs {
		if err = store.ResetRead(ctx); err != nil {
			break
		}
		began := time.Now()
		if _, err = index.New(store, rand.Reader).All(ctx, 0); err != nil {
			break
		}
		rates = append(rates, int64(float64(b.records)/time.Since(began).Seconds()))
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	figureRow("records indexed a second, of "+strconv.Itoa(b.records)+" without words (promised: 60,000)", rates)
	return nil
}
