package run

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// writeEvery bounds what a kill of the host loses of a run, however slowly its
// records come: the open batch, and the ledger of destinations.
const writeEvery = 2 * time.Second

// writeByTime writes what the run has and the store does not, until ctx ends. It
// stops the run that cannot write.
func writeByTime(ctx context.Context, stop context.CancelCauseFunc, c *collection) {
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			err := c.flush()
			if err == nil {
				err = c.writeDestinations()
			}
			if err != nil {
				stop(err)
				return
			}
		}
	}
}

// writeDestinations brings the ledger of destinations up to what the run has sent.
func (c *collection) writeDestinations() error {
	list := c.unwritten()
	if len(list) == 0 {
		return nil
	}
	// Waited for to its end: what may have been written is neither left out of the
	// outcome nor counted twice.
	if err := c.stored(c.writer.AddDestinations(context.WithoutCancel(c.ctx), list)); err != nil {
		return err
	}
	for _, d := range list {
		was := c.written[d.Host]
		c.written[d.Host] = storage.Destination{
			Requests: was.Requests + d.Requests, BytesOut: was.BytesOut + d.BytesOut, BytesIn: was.BytesIn + d.BytesIn,
		}
	}
	return nil
}

// unwritten returns what the run has sent since the ledger was last written.
func (c *collection) unwritten() []storage.Destination {
	if c.sending == nil {
		return nil
	}
	var list []storage.Destination
	for _, d := range c.sending.Destinations() {
		was := c.written[d.Host]
		d.Requests, d.BytesOut, d.BytesIn = d.Requests-was.Requests, d.BytesOut-was.BytesOut, d.BytesIn-was.BytesIn
		if d.Requests > 0 || d.BytesOut > 0 || d.BytesIn > 0 {
			list = append(list, d)
		}
	}
	return list
}
