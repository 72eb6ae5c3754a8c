package evidence

import (
	"context"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Choice says which connections of a fleet are meant. The zero value means all of them.
type Choice struct {
	Name string       // a part of the name, in any case of ASCII letters
	Tone verdict.Tone // of the pill; "": any

	Connector string // "": any
}

// EvidenceChosen is EvidencePage for some connections. A connection that has no standing
// at now, such as one that runs, is returned whatever its tone: its reader looks.
func (s *Store) EvidenceChosen(ctx context.Context, now time.Time, c Choice, after string, limit int) ([]Evidence, error) {
	var rows []evidenceJoined
	q := selectEvidence(s.db.Read, &rows).Where("e.name > ?", after).OrderExpr("e.name").Limit(int64(tables.PageLimit(limit)))
	if c.Name != "" {
		q.Where(`lower(e.name) LIKE ? ESCAPE '!'`, "%"+strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(c.Name))+"%")
	}
	if c.Connector != "" {
		q.Where("e.connector = ?", c.Connector)
	}
	if c.Tone != "" {
		q.Join("LEFT JOIN standings AS s ON s.connection_id = e.connection_id AND s.from_us <= ? AND s.until_us > ?", db.Micros(now), db.Micros(now)).
			Where("coalesce(s.tone, ?) = ?", string(c.Tone), string(c.Tone))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, s.db.Fail("read the evidence", err)
	}
	return publicAll(rows), nil
}

// EvidenceNeeding returns up to limit connections that interrupt their owner at now, those
// that cannot collect first, and behind them up to limit that run: whether those do, their
// reader looks.
func (s *Store) EvidenceNeeding(ctx context.Context, now time.Time, limit int) ([]Evidence, error) {
	var rows, running []evidenceJoined
	limit = tables.PageLimit(limit)
	err := selectEvidence(s.db.Read, &rows).Join("JOIN standings AS s ON s.connection_id = e.connection_id").
		Where("s.channel = 'attention' AND s.from_us <= ? AND s.until_us > ?", db.Micros(now), db.Micros(now)).
		OrderExpr("s.tone DESC, s.connection_id").Limit(int64(limit)).Scan(ctx)
	if err == nil {
		err = selectEvidence(s.db.Read, &running).Where("e.running = 1").OrderExpr("e.connection_id").Limit(int64(limit)).Scan(ctx)
	}
	if err != nil {
		return nil, s.db.Fail("read the evidence", err)
	}
	return publicAll(append(rows, running...)), nil
}
