package evidence

import (
	"context"
	"math"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// mostStandings bounds how far ahead the standing of a connection is worked out that
// no device feeds, and a source adds mostOfASource. Each moment at which time alone
// changes it is a moment of one of its facts, of which there are fewer.
const (
	mostStandings = 8
	mostOfASource = 2
)

// updateStanding writes how a connection counts in its fleet, from now on and from each
// later moment at which time alone changes that. A connection that is running
// has none: whether it really is, its holder tells and no store. One whose own row
// cannot be read has none either, and a change of its document, or of what is
// configured, that does not pass here takes what it had (see the migrations).
func updateStanding(t *db.Tx, id string, f *stored.Facts) error {
	if _, err := t.DB.NewDelete().Model((*standingRow)(nil)).Where("connection_id = ?", id).Exec(t.Ctx); err != nil {
		return err
	}
	if f.Running() {
		return nil
	}
	var retained int64
	var c tables.ConnectionRow
	err := t.DB.QueryRowContext(t.Ctx, `SELECT e.retained, c.options, c.roots, c.read_roots FROM evidence e
JOIN connections c ON c.id = e.connection_id WHERE e.connection_id = ?`, id).Scan(&retained, &c.Options, &c.Roots, &c.ReadRoots)
	if err != nil || c.Unreadable() {
		return err
	}
	known := *f
	known.Retained = &retained
	rows := Standings(id, &known, t.Now)
	_, err = t.DB.NewInsert().Model(&rows).Exec(t.Ctx)
	return err
}

// Standings returns how a connection counts in its fleet from now on: one row for each
// moment at which time alone changes that.
func Standings(id string, f *stored.Facts, now time.Time) []standingRow {
	var rows []standingRow
	from, when, most := db.Micros(now), health.At(now), mostStandings
	if f.Device != nil {
		most += mostOfASource * len(f.Device.Sources)
	}
	for {
		v := verdict.OfStored(f, stored.Moment{Now: when}, true)
		s := view.StandingOf(&v)
		rows = append(rows, standingRow{
			ConnectionID: id, FromUS: from, UntilUS: math.MaxInt64, Tone: string(s.Tone), Channel: string(s.Channel), Stalled: s.Stalled, Records: s.Records,
		})
		next := f.NextChange(when)
		if next.IsZero() || len(rows) == most {
			return rows
		}
		from, when = db.Micros(next.Time), next
		rows[len(rows)-1].UntilUS = from
	}
}

// Fleet counts the connections by how they stand at now. It reads those that no
// standing covers then: the ones that run, those that were written by a clock that
// was ahead, and those that cannot be read. alive says whether the holder of a lease
// still lives.
func (s *Store) Fleet(ctx context.Context, now time.Time, alive func(holder string) bool, runtimeOK bool) (view.Fleet, error) {
	const what = "count the connections"
	var fleet view.Fleet
	var counts []struct {
		Tone, Channel    string
		Stalled, Records bool
		N                int64
	}
	var others []evidenceJoined
	err := s.Snapshot(ctx, func(g Gatherer) error {
		err := g.db.NewRaw(`SELECT tone, channel, stalled, records, count(*) AS n FROM standings
WHERE from_us <= ? AND until_us > ? GROUP BY tone, channel, stalled, records`, db.Micros(now), db.Micros(now)).Scan(g.ctx, &counts)
		if err != nil {
			return err
		}
		if err := selectEvidence(g.db, &others).Where("e.running = 1").Scan(g.ctx); err != nil {
			return err
		}
		var all int64
		if err := g.db.QueryRowContext(g.ctx, "SELECT count(*) FROM evidence").Scan(&all); err != nil {
			return err
		}
		for _, c := range counts {
			all -= c.N
		}
		if all == int64(len(others)) {
			return nil
		}
		others = nil // they are among those
		return selectEvidence(g.db, &others).
			Where("NOT EXISTS (SELECT 1 FROM standings AS s WHERE s.connection_id = e.connection_id AND s.from_us <= ? AND s.until_us > ?)", db.Micros(now), db.Micros(now)).
			Scan(g.ctx)
	})
	if err != nil {
		return fleet, s.db.Fail(what, err)
	}
	for _, c := range counts {
		fleet.Add(view.Standing{Tone: verdict.Tone(c.Tone), Channel: verdict.Channel(c.Channel), Stalled: c.Stalled, Records: c.Records}, c.N, runtimeOK)
	}
	for i := range others {
		e := others[i].public()
		v := verdict.OfStored(e.Facts, e.Moment(now, alive), runtimeOK)
		fleet.Add(view.StandingOf(&v), 1, runtimeOK)
	}
	return fleet, nil
}
