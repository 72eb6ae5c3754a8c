package storage

import (
	"context"
	"math"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// mostStandings bounds how far ahead a connection's standing is worked out. Each
// moment at which time alone changes it is a moment of one of its facts, of which
// there are fewer.
const mostStandings = 8

// stand writes how a connection counts in its fleet, from now on and from each
// later moment at which time alone changes that. A connection that is running
// has none: whether it really is, its holder tells and no store.
func (t *tx) stand(id string, f *health.Stored) error {
	if _, err := t.db.NewDelete().Model((*standingRow)(nil)).Where("connection_id = ?", id).Exec(t.ctx); err != nil {
		return err
	}
	if f.Running() {
		return nil
	}
	var retained int64
	if err := t.db.QueryRowContext(t.ctx, "SELECT retained FROM evidence WHERE connection_id = ?", id).Scan(&retained); err != nil {
		return err
	}
	known := *f
	known.Retained = &retained
	rows := standings(id, &known, t.now)
	_, err := t.db.NewInsert().Model(&rows).Exec(t.ctx)
	return err
}

func standings(id string, f *health.Stored, now time.Time) []standingRow {
	var rows []standingRow
	from, when := int64(0), health.At(now)
	for {
		v := verdict.OfStored(f, health.Moment{Now: when}, true)
		s := view.StandingOf(&v)
		rows = append(rows, standingRow{
			ConnectionID: id, FromUS: from, UntilUS: math.MaxInt64, Tone: string(s.Tone), Channel: string(s.Channel), Stalled: s.Stalled, Records: s.Records,
		})
		next := f.NextChange(when)
		if next.IsZero() || len(rows) == mostStandings {
			return rows
		}
		from, when = micros(next.Time), next
		rows[len(rows)-1].UntilUS = from
	}
}

// Fleet counts the connections by how they stand at now, without reading those
// that are not running. alive says whether the holder of a lease still lives.
func (s *Store) Fleet(ctx context.Context, now time.Time, alive func(holder string) bool, runtimeOK bool) (view.Fleet, error) {
	const what = "count the connections"
	var fleet view.Fleet
	var counts []struct {
		Tone, Channel    string
		Stalled, Records bool
		N                int64
	}
	var running []evidenceJoined
	err := s.snapshot(ctx, func(g gatherer) error {
		err := g.db.NewRaw(`SELECT tone, channel, stalled, records, count(*) AS n FROM standings
WHERE from_us <= ? AND until_us > ? GROUP BY tone, channel, stalled, records`, micros(now), micros(now)).Scan(g.ctx, &counts)
		if err != nil {
			return err
		}
		return selectEvidence(g.db, &running).Where("e.running = 1").Scan(g.ctx)
	})
	if err != nil {
		return fleet, s.fail(what, err)
	}
	for _, c := range counts {
		fleet.Add(view.Standing{Tone: verdict.Tone(c.Tone), Channel: verdict.Channel(c.Channel), Stalled: c.Stalled, Records: c.Records}, c.N, runtimeOK)
	}
	for i := range running {
		e := running[i].public()
		v := verdict.OfStored(e.Facts, e.Moment(now, alive), runtimeOK)
		fleet.Add(view.StandingOf(&v), 1, runtimeOK)
	}
	return fleet, nil
}
