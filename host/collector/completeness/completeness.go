package completeness

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// Diagnostics gathers the coverage diagnostics of one run. It is safe for concurrent use.
type Diagnostics struct {
	mu   sync.Mutex
	seen map[string]diagnostic // by record key
}

// diagnostic is what a connector says of one of its source's stores.
type diagnostic struct{ store, status string }

// maxStores bounds what is kept of them: no source has as many stores.
const maxStores = 10_000

// Accept takes a record that has passed the boundary.
func (d *Diagnostics) Accept(stream string, key, data []byte, deleted bool) {
	if stream != device.CoverageStream {
		return
	}
	var rec struct {
		Store  string `json:"store"`
		Status string `json:"status"`
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if deleted {
		delete(d.seen, string(key))
		return
	}
	if json.Unmarshal(data, &rec) != nil {
		return
	}
	if d.seen == nil {
		d.seen = make(map[string]diagnostic)
	}
	if _, known := d.seen[string(key)]; !known && len(d.seen) >= maxStores {
		return
	}
	d.seen[string(key)] = diagnostic{rec.Store, device.CoverageStatus(rec.Status)}
}

// Report is nil when the run said nothing of its stores.
func (d *Diagnostics) Report() *Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.seen) == 0 {
		return nil
	}
	c := &Report{ByStore: map[string]string{}, CountsByStatus: map[string]int64{}, UnaccountedStores: []string{}}
	for _, rec := range d.seen {
		if c.ByStore[rec.store] != device.CoverageUnaccounted { // what is unknown is not hidden by what is known
			c.ByStore[rec.store] = rec.status
		}
	}
	for store, status := range c.ByStore {
		c.CountsByStatus[status]++
		if status == device.CoverageUnaccounted {
			c.UnaccountedStores = append(c.UnaccountedStores, store)
		}
	}
	slices.Sort(c.UnaccountedStores)
	c.StoreCount, c.FullyAccounted = len(c.ByStore), len(c.UnaccountedStores) == 0
	return c
}

// Report is what the connector's coverage diagnostics of one run say.
type Report struct {
	ByStore           map[string]string `json:"byStore"`           //nolint:tagliatelle // the protocol names it so
	CountsByStatus    map[string]int64  `json:"countsByStatus"`    //nolint:tagliatelle // the protocol names it so
	FullyAccounted    bool              `json:"fullyAccounted"`    //nolint:tagliatelle // the protocol names it so
	StoreCount        int               `json:"storeCount"`        //nolint:tagliatelle // the protocol names it so
	UnaccountedStores []string          `json:"unaccountedStores"` //nolint:tagliatelle // the protocol names it so
}
