package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// streams is how many programs watch at once.
const streams = 500

// streamsOfOne is how many of them one token may have.
const streamsOfOne = 32

// restFor is how long memory is looked at, each second: over a pass of the scheduler and four
// heartbeats of each stream. settleFor goes before: a password's hash takes memory of its own,
// which the system has back a few seconds later.
const (
	restFor   = 65 * time.Second
	settleFor = 20 * time.Second
)

func inMB(n int64) float64 { return float64(n) / (1 << 20) }

// idle measures the memory of a host with its console open and nothing to do, and what 500
// streams of events take beside.
func (b *bench) idle() error {
	data, err := b.newFolder("idle", seven, "plugins")
	if err != nil {
		return err
	}
	for _, name := range seven {
		if err := b.connected(data, name, name); err != nil {
			return err
		}
	}
	o, err := b.opened(data)
	if err != nil {
		return err
	}
	defer o.stop()
	stop, err := o.browse(func(string) {})
	if err != nil {
		return err
	}
	defer stop()
	rests := func() (list []float64) {
		time.Sleep(settleFor)
		for range int(restFor / time.Second) {
			list = append(list, inMB(pss(o.cmd)))
			time.Sleep(time.Second)
		}
		return list
	}
	alone := rests()
	figureRow("idle, 7 connections, one console open, MB", alone)
	token := ""
	for i := range streams {
		if i%streamsOfOne == 0 {
			if token, err = b.newToken(data, "run"); err != nil {
				return err
			}
		}
		res, err := o.send(http.MethodGet, "/v1/owner/events", http.NoBody, "Authorization", "Bearer "+token) //nolint:bodyclose // its reader closes it
		if err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("a stream: %s", res.Status)
		}
		go func() { // until the host ends
			buf := make([]byte, 512)
			for {
				if _, err := res.Body.Read(buf); err != nil {
					_ = res.Body.Close()
					return
				}
			}
		}()
	}
	more := rests()
	figureRow(strconv.Itoa(streams)+" streams besides, MB", more)
	_, most := spread(more)
	row("of it by the streams: the median, and the largest, less the median without them, MB", median(more)-median(alone), "", most-median(alone))
	return nil
}

// newOnPage is the number of new records on the page of a run.
var newOnPage = regexp.MustCompile(`<data value="(\d+)">[^<]*</data>\s+new`)

// shown measures how long a record that is stored takes to stand on the page of its run. The
// guest stores 7 records twice a second.
func (b *bench) shown() error {
	const step, steps = 7, 40
	data, err := b.newFolder("shown", []string{"scripted"}, b.plugins())
	if err != nil {
		return err
	}
	var script []string
	for i := range steps {
		script = append(script, fmt.Sprintf("records notes %d %d\nstate {\"type\":\"STATE\",\"stream\":\"notes\",\"cursor\":{\"at\":%d},\"slice\":{\"id\":\"s%d\",\"complete\":true}}\nsleep %d", i*step, (i+1)*step, i, i, 400+7*i))
	}
	if err := b.connected(data, "mine", "scripted", "script="+strings.Join(script, "\n")+"\nfinish"); err != nil {
		return err
	}
	o, err := b.opened(data)
	if err != nil {
		return err
	}
	defer o.stop()
	store, err := reading(data)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	events := make(chan string, 1000)
	stop, err := o.browse(func(event string) { events <- event })
	if err != nil {
		return err
	}
	defer stop()
	id, err := o.run("mine")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stored := make([]atomic.Int64, steps+1)
	go whenStored(ctx, store, step, stored)
	var took []time.Duration
	for at := 0; at < steps; {
		select {
		case event := <-events:
			if event != "run-"+id {
				continue
			}
		case <-time.After(20 * time.Second):
			return fmt.Errorf("no event behind %d of %d steps", at, steps)
		}
		text, err := o.page("/runs/" + id + "/part")
		if err != nil {
			return err
		}
		now := time.Now().UnixMicro()
		n := 0
		if found := newOnPage.FindStringSubmatch(text); found != nil {
			n, _ = strconv.Atoi(found[1]) // no digit fails
		} else if at > 0 {
			return errors.New("the page of the run says no number of new records")
		}
		for at < min(n/step, steps) {
			at++
			if was := stored[at].Load(); was > 0 {
				took = append(took, time.Duration(now-was)*time.Microsecond)
			}
		}
	}
	figureRow("a record stored, until the page of its run has it", took)
	return nil
}

// whenStored keeps when so many times step records were first seen in the store, in µs.
func whenStored(ctx context.Context, store *sql.DB, step int, stored []atomic.Int64) {
	for at := 1; at < len(stored) && ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		var n sql.NullInt64
		if store.QueryRowContext(ctx, "SELECT sum(added) FROM run_streams").Scan(&n) != nil {
			continue
		}
		for ; at < len(stored) && at <= int(n.Int64)/step; at++ {
			stored[at].Store(time.Now().UnixMicro())
		}
	}
}

// watched compares runs of the firehose that nobody watches with runs that a console follows:
// at each event it asks for the page of the run, as a browser does.
func (b *bench) watched() error {
	var alone, followed, again, spent, spentFollowed []time.Duration
	for i := range b.runs + 1 { // the first round warms up
		for _, side := range []string{"alone", "followed", "again"} {
			took, cpu, err := b.firehoseServed(side == "followed")
			if err != nil {
				return fmt.Errorf("%s: %w", side, err)
			}
			switch {
			case i == 0:
			case side == "alone":
				alone, spent = append(alone, took), append(spent, cpu)
			case side == "followed":
				followed, spentFollowed = append(followed, took), append(spentFollowed, cpu)
			default:
				again = append(again, took)
			}
		}
	}
	figureRow("firehose of "+strconv.Itoa(b.records)+" records under `serve` (A)", alone)
	figureRow("the same while a console follows it", followed)
	figureRow("**share of the speed that is left**", ratios(alone, followed))
	figureRow("A/A control", ratios(alone, again))
	figureRow("processor time of host and worker, alone over followed", ratios(spent, spentFollowed))
	return nil
}

// firehoseServed is how long a run of the firehose takes under `serve`, as the store has it, and
// the processor time of the host that serves, from its start to its end, and of its worker.
func (b *bench) firehoseServed(follow bool) (took, cpu time.Duration, err error) {
	data, err := b.newFolder("watched", []string{"firehose"}, b.plugins())
	if err != nil {
		return 0, 0, err
	}
	if err := b.connected(data, "mine", "firehose", "records="+strconv.Itoa(b.records)); err != nil {
		return 0, 0, err
	}
	o, err := b.opened(data)
	if err != nil {
		return 0, 0, err
	}
	defer o.stop()
	asked := make(chan string, 1)
	if follow {
		stop, err := o.browse(func(event string) {
			if run, ok := strings.CutPrefix(event, "run-"); ok {
				select {
				case asked <- run:
				default: // the page is on its way
				}
			}
		})
		if err != nil {
			return 0, 0, err
		}
		defer stop()
	}
	id, err := o.run("mine")
	if err != nil {
		return 0, 0, err
	}
	ended := make(chan error, 1)
	go func() {
		for follow {
			select {
			case run := <-asked:
				if _, err := o.page("/runs/" + run + "/part"); err != nil {
					ended <- err
					return
				}
			case <-ended:
				return
			}
		}
	}()
	defer close(ended)
	store, err := reading(data)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = store.Close() }()
	for {
		var status string
		var began, over int64
		err := store.QueryRow("SELECT status, started_us, coalesce(finished_us, 0) FROM runs WHERE run_id = ?", id).Scan(&status, &began, &over)
		switch {
		case err != nil:
			return 0, 0, err
		case status == "succeeded":
			state := o.stop().ProcessState
			return time.Duration(over-began) * time.Microsecond, state.UserTime() + state.SystemTime(), nil
		case status != "running":
			return 0, 0, fmt.Errorf("a run that is %s in %s", status, filepath.Base(data))
		}
		time.Sleep(50 * time.Millisecond)
	}
}
