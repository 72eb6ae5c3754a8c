package evidence

import (
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// The facts that devices report about a connection.

// devices keeps the heartbeats of the devices that feed the connection. A
// revoked one says nothing (HL-11.2); that there was one stays.
func (g Gatherer) devices(id string, f *stored.Facts) error {
	var rows []tables.SourceJoined
	if err := tables.SelectSources(g.db, &rows).Where("s.connection_id = ?", id).Scan(g.ctx); err != nil {
		return err
	}
	f.Unreadable = without(f.Unreadable, unreadableHeartbeats)
	if len(rows) == 0 {
		f.Device = nil
		return nil
	}
	d := &stored.Device{}
	if f.Device != nil {
		d.Stores = f.Device.Stores
	}
	f.Device = d
	for i := range rows {
		r := &rows[i]
		if r.RevokedUS != 0 {
			continue
		}
		h, ok := r.ReadHeartbeat()
		if !ok {
			f.Unreadable = append(without(f.Unreadable, unreadableHeartbeats), unreadableHeartbeats)
		}
		d.Sources = append(d.Sources, StoredSource(r, h))
	}
	return nil
}

// StoredSource returns the facts that health reads about one source; h is nil before the
// first heartbeat.
func StoredSource(r *tables.SourceJoined, h *device.Heartbeat) stored.Source {
	s := stored.Source{ID: r.ID, Device: r.DeviceID}
	for _, o := range r.ReadRefusals() {
		s.Refusals = append(s.Refusals, stored.RefusedDelivery{Stream: o.Stream, Code: health.Word(o.Code), Says: o.Says, AtUS: o.AtUS})
	}
	if h == nil {
		return s
	}
	s.HeardUS, s.Status, s.Pending = r.HeardUS, health.Word(h.Status), h.RecordsPending
	if o := h.Outbox; o != nil {
		s.Outbox = &stored.Outbox{
			Pending: &o.Pending, Retrying: &o.Retrying, StaleLeases: &o.StaleLeases, DeadLetter: &o.DeadLetter, BacklogOpen: &o.BacklogOpen,
			Leased: &o.Leased, Succeeded: &o.Succeeded, Total: &o.Total,
		}
		if o.OldestPendingAt != nil {
			s.Outbox.OldestPendingUS = db.Micros(*o.OldestPendingAt)
		}
	}
	return s
}

// MostStores bounds the coverage records that are read. A device has a few dozen
// stores; of more than these nobody can tell whether they are all accounted for.
const MostStores = 1000

// stores counts the device's coverage records (HL-17).
func (g Gatherer) stores(id string, f *stored.Facts) error {
	if f.Device == nil {
		return nil
	}
	f.Device.Stores = nil
	var texts []string
	err := g.db.NewRaw(`SELECT r.data FROM records r JOIN streams s ON s.id = r.stream_id
WHERE s.connection_id = ? AND s.name = ? AND s.removed = 0 AND r.deleted = 0 LIMIT ?`, id, device.CoverageStream, MostStores+1).Scan(g.ctx, &texts)
	if err != nil || len(texts) == 0 || len(texts) > MostStores {
		return err
	}
	f.Device.Stores = map[health.Word]int64{}
	for _, text := range texts {
		var r struct {
			Status string `json:"status"`
		}
		if json.Unmarshal([]byte(text), &r) != nil {
			r.Status = ""
		}
		f.Device.Stores[stored.StoreStatus(health.Word(r.Status))]++
	}
	return nil
}
