package run

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// update is the state of the run for a display. Counts are of durable records.
func (c *collection) update(elapsed time.Duration, final bool) Update {
	u := Update{
		Connector: c.manifest.ConnectorKey, Version: c.manifest.Version, RunID: c.runID, SHA256: c.sha256,
		Elapsed: elapsed, Final: final, Now: c.deps.Now(),
	}
	counts := c.writer.Counts()
	if c.sending != nil { // not under the lock: what it tells of its own steps takes it
		u.Hosts, u.Requests, u.Rate = c.sending.Hosts(), c.sending.Counts(), c.sending.Rate()
		base := ""
		if n := c.manifest.Requirements.Network; n != nil && len(u.Hosts) > len(n.Hosts) {
			base = u.Hosts[0] // where the owner's base_url is, see Sending
		}
		for _, p := range manifest.SecretPlaces(c.manifest, base) {
			u.Secrets = append(u.Secrets, p.String())
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	u.WaitUntil, u.WaitAsked = c.waiting.Until, c.waiting.Asked
	u.Message, u.Unit = c.progress.Message, c.progress.Unit
	if c.progress.Count != nil {
		u.Count = *c.progress.Count
	}
	if c.progress.Total != nil {
		u.Total = *c.progress.Total
	}
	u.Streams = make([]StreamUpdate, len(c.scope.Streams))
	for i := range c.scope.Streams {
		u.Streams[i] = StreamUpdate{Name: c.scope.Streams[i].Name, Rejected: c.rejected[i]}
		if i < len(counts) {
			n := counts[i]
			u.Streams[i].New, u.Streams[i].Changed, u.Streams[i].Unchanged, u.Streams[i].Deleted = n.New, n.Changed, n.Unchanged, n.Deleted
		}
	}
	return u
}
