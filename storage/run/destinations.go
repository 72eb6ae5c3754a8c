package run

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Destination is one row of the ledger that says what was sent where. Bytes
// count requests and answers without the transport's own.
type Destination struct {
	Host     string    `json:"host"` // host:port
	Requests int64     `json:"requests"`
	BytesOut int64     `json:"bytes_out"`
	BytesIn  int64     `json:"bytes_in"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
}

type destinationRow struct {
	bun.BaseModel `bun:"table:destinations"`

	ConnectionID string `bun:"connection_id,pk"`
	Host         string `bun:"host,pk"`
	Requests     int64  `bun:"requests"`
	BytesOut     int64  `bun:"bytes_out"`
	BytesIn      int64  `bun:"bytes_in"`
	FirstUS      int64  `bun:"first_us"`
	LastUS       int64  `bun:"last_us"`
}

// AddDestinations adds what the run has sent to its connection's ledger, so that
// the ledger says it also when the run has no end, and waits until that is durable.
// A run adds each request once: here, or with its Outcome.
func (w *Writer) AddDestinations(ctx context.Context, list []Destination) error {
	return w.await(ctx, func(t *db.Tx) error { return addDestinations(t, w.To.ConnectionID, list) })
}

// addDestinations adds a run's destinations to its connection's ledger.
func addDestinations(t *db.Tx, connectionID string, list []Destination) error {
	for _, d := range list {
		row := destinationRow{
			ConnectionID: connectionID, Host: d.Host, Requests: d.Requests, BytesOut: d.BytesOut, BytesIn: d.BytesIn,
			FirstUS: db.Micros(t.Now), LastUS: db.Micros(t.Now),
		}
		_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id, host) DO UPDATE").
			Set("requests = ?TableAlias.requests + EXCLUDED.requests, bytes_out = ?TableAlias.bytes_out + EXCLUDED.bytes_out").
			Set("bytes_in = ?TableAlias.bytes_in + EXCLUDED.bytes_in, last_us = EXCLUDED.last_us").Exec(t.Ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// Destinations returns what a connection has sent where, by host.
func (s *Store) Destinations(ctx context.Context, connection string) ([]Destination, error) {
	const what = "read the destinations"
	c, err := tables.FindConnection(ctx, s.db.Read, connection)
	if err != nil {
		return nil, s.db.Fail(what, err)
	}
	var rows []destinationRow
	err = s.db.Read.NewSelect().Model(&rows).Where("connection_id = ?", c.ID).Order("host").Scan(ctx)
	out := make([]Destination, 0, len(rows))
	for _, r := range rows {
		out = append(out, Destination{
			Host: r.Host, Requests: r.Requests, BytesOut: r.BytesOut, BytesIn: r.BytesIn, First: db.Time(r.FirstUS), Last: db.Time(r.LastUS),
		})
	}
	return out, s.db.Fail(what, err)
}
