package access

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Disclosure is one read of a reader's: what it was told, and nothing of what stood in it.
type Disclosure struct {
	At          time.Time
	RequestID   string
	TokenID     string
	GrantID     string // "": the owner's token
	ClientID    string
	Route       string
	Parameters  []string         // their names
	Records     map[string]int64 // how many of each stream
	Connections []string         // whose they were
	Bytes       int64
	Status      int
	Code        string // of a refusal; "": it was answered
	Took        time.Duration
}

type disclosureRow struct {
	bun.BaseModel `bun:"table:disclosures"`

	Seq         int64  `bun:"seq,pk,autoincrement"`
	AtUS        int64  `bun:"at_us"`
	RequestID   string `bun:"request_id"`
	TokenID     string `bun:"token_id"`
	GrantID     string `bun:"grant_id"`
	ClientID    string `bun:"client_id"`
	Route       string `bun:"route"`
	Streams     string `bun:"streams"`
	Connections string `bun:"connections"`
	Parameters  string `bun:"parameters"`
	Records     int64  `bun:"records"`
	Bytes       int64  `bun:"bytes"`
	Status      int    `bun:"status"`
	Code        string `bun:"code"`
	TookUS      int64  `bun:"took_us"`
}

func disclosureRowOf(d *Disclosure) disclosureRow {
	row := disclosureRow{
		AtUS: db.Micros(d.At), RequestID: d.RequestID, TokenID: d.TokenID, GrantID: d.GrantID, ClientID: d.ClientID, Route: d.Route,
		Streams: strings.Join(slices.Sorted(maps.Keys(d.Records)), ","), Parameters: strings.Join(d.Parameters, ","), Connections: strings.Join(d.Connections, ","),
		Bytes: d.Bytes, Status: d.Status, Code: d.Code, TookUS: d.Took.Microseconds(),
	}
	for _, n := range d.Records {
		row.Records += n
	}
	return row
}

// DisclosureShown is a Disclosure as it was kept.
type DisclosureShown struct {
	Seq         int64     `json:"seq"`
	At          time.Time `json:"at"`
	RequestID   string    `json:"request_id"`
	TokenID     string    `json:"token_id"`
	GrantID     string    `json:"grant_id,omitempty"` // left out: the owner's token
	ClientID    string    `json:"client_id,omitempty"`
	Route       string    `json:"route"`
	Streams     []string  `json:"streams"`
	Connections []string  `json:"connections"` // their ids
	Parameters  []string  `json:"parameters"`
	Records     int64     `json:"records"`
	Bytes       int64     `json:"bytes"`
	Status      int       `json:"status"`
	Code        string    `json:"code,omitempty"`
	TookMS      int64     `json:"took_ms"`
}

func (r *disclosureRow) public() DisclosureShown {
	return DisclosureShown{
		r.Seq, db.Time(r.AtUS), r.RequestID, r.TokenID, r.GrantID, r.ClientID, r.Route, listed(r.Streams), listed(r.Connections), listed(r.Parameters), r.Records, r.Bytes, r.Status, r.Code,
		time.Duration(r.TookUS * int64(time.Microsecond)).Milliseconds(),
	}
}

func listed(text string) []string {
	if text == "" {
		return []string{}
	}
	return strings.Split(text, ",")
}

// dayRow sums what a grant was told of a stream on a day.
type dayRow struct {
	bun.BaseModel `bun:"table:disclosure_days"`

	GrantID string `bun:"grant_id,pk"`
	Stream  string `bun:"stream,pk"`
	Day     int64  `bun:"day,pk"`
	Reads   int64  `bun:"reads"`
	Records int64  `bun:"records"`
	LastUS  int64  `bun:"last_us"`
}

// DisclosuresKept is how long each read is kept by itself: the sums of the days stay.
const DisclosuresKept = 400 * 24 * time.Hour

// How many reads of one reader are kept at most, those that were refused apart: no app drives
// out what another one was told, nor, by what is refused, what it was told itself. They are
// counted once in so many reads.
const (
	mostAnswered = 1_000_000
	mostRefused  = 10_000
	countedEvery = 10_000
)

// Disclose keeps reads, and adds them to the sums of their days.
func (s *Store) Disclose(ctx context.Context, all []Disclosure) error {
	if len(all) == 0 {
		return nil
	}
	rows := make([]disclosureRow, len(all))
	sums := map[dayRow]*dayRow{}
	for i := range all {
		rows[i] = disclosureRowOf(&all[i])
		sumDays(sums, &all[i])
	}
	days := slices.SortedFunc(maps.Values(sums), func(a, b *dayRow) int {
		return cmp.Or(cmp.Compare(a.GrantID, b.GrantID), cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Day, b.Day))
	})
	return s.db.Alone(ctx, "keep what was read", func(t *db.Tx) error {
		if _, err := t.DB.NewInsert().Model(&rows).Exec(t.Ctx); err != nil {
			return err
		}
		_, err := t.DB.NewDelete().Model((*disclosureRow)(nil)).Where("at_us < ?", db.Micros(t.Now.Add(-DisclosuresKept))).Exec(t.Ctx)
		if newest := rows[len(rows)-1].Seq; err == nil && newest/countedEvery != (rows[0].Seq-1)/countedEvery {
			err = forgetMany(t, rows)
		}
		if err != nil || len(days) == 0 {
			return err
		}
		_, err = t.DB.NewInsert().Model(&days).On("CONFLICT (grant_id, stream, day) DO UPDATE").
			Set("reads = day_row.reads + EXCLUDED.reads, records = day_row.records + EXCLUDED.records").
			Set("last_us = CASE WHEN EXCLUDED.last_us > day_row.last_us THEN EXCLUDED.last_us ELSE day_row.last_us END").Exec(t.Ctx)
		return err
	})
}

// forgetMany forgets the oldest reads of the rows' readers where they have more than are kept. A
// reader is a grant, or one of the owner's tokens.
func forgetMany(t *db.Tx, rows []disclosureRow) error {
	var grants []string
	for i := range rows {
		grants = append(grants, rows[i].GrantID)
	}
	slices.Sort(grants)
	_, err := t.DB.NewDelete().Model((*disclosureRow)(nil)).Where("seq IN (SELECT seq FROM (SELECT seq, code, "+
		"row_number() OVER (PARTITION BY grant_id, CASE WHEN grant_id = '' THEN token_id ELSE '' END, code = '' ORDER BY seq DESC) AS place "+
		"FROM disclosures WHERE grant_id IN (?)) AS counted WHERE place > CASE WHEN code = '' THEN ? ELSE ? END)",
		bun.List(slices.Compact(grants)), mostAnswered, mostRefused).Exec(t.Ctx)
	return err
}

func sumDays(sums map[dayRow]*dayRow, d *Disclosure) {
	if d.GrantID == "" || d.Code != "" {
		return
	}
	for stream, n := range d.Records {
		key := dayRow{GrantID: d.GrantID, Stream: stream, Day: db.Day(d.At)}
		sum := sums[key]
		if sum == nil {
			sum = &dayRow{GrantID: key.GrantID, Stream: key.Stream, Day: key.Day}
			sums[key] = sum
		}
		sum.Reads++
		sum.Records += n
		sum.LastUS = max(sum.LastUS, db.Micros(d.At))
	}
}

// Disclosed is what a grant was told of a stream.
type Disclosed struct {
	GrantID string
	Stream  string
	Reads   int64
	Records int64     // one that was read twice counts twice
	Since   time.Time // the day of the first read
	Last    time.Time
}

// Disclosed returns what each grant was told, by stream; of one grant alone where it is named.
func (s *Store) Disclosed(ctx context.Context, grantID string) ([]Disclosed, error) {
	var rows []struct {
		GrantID, Stream               string
		Reads, Records, First, LastUS int64
	}
	query := s.db.Read.NewSelect().Model((*dayRow)(nil)).Column("grant_id", "stream").
		ColumnExpr("CAST(sum(reads) AS bigint) AS reads, CAST(sum(records) AS bigint) AS records, min(day) AS first, max(last_us) AS last_us").
		Group("grant_id", "stream").Order("grant_id", "stream")
	if grantID != "" {
		query = query.Where("grant_id = ?", grantID)
	}
	if err := query.Scan(ctx, &rows); err != nil {
		return nil, s.db.Fail("read what was disclosed", err)
	}
	out := make([]Disclosed, len(rows))
	for i, r := range rows {
		out[i] = Disclosed{r.GrantID, r.Stream, r.Reads, r.Records, db.Date(r.First), db.Time(r.LastUS)}
	}
	return out, nil
}

// DisclosedDay is what a grant was told on a day.
type DisclosedDay struct {
	Day     time.Time // its beginning, in UTC
	Reads   int64     // one of two streams counts twice
	Records int64     // one that was read twice counts twice
}

// DisclosedDays returns what a grant was told from a day on, by day, the oldest first.
func (s *Store) DisclosedDays(ctx context.Context, grantID string, since time.Time) ([]DisclosedDay, error) {
	var rows []struct{ Day, Reads, Records int64 }
	err := s.db.Read.NewSelect().Model((*dayRow)(nil)).Column("day").
		ColumnExpr("CAST(sum(reads) AS bigint) AS reads, CAST(sum(records) AS bigint) AS records").
		Where("grant_id = ? AND day >= ?", grantID, db.Day(since)).Group("day").Order("day").Scan(ctx, &rows)
	if err != nil {
		return nil, s.db.Fail("read what was disclosed", err)
	}
	out := make([]DisclosedDay, len(rows))
	for i, r := range rows {
		out[i] = DisclosedDay{db.Date(r.Day), r.Reads, r.Records}
	}
	return out, nil
}

// DisclosedBytes is how much was read by a grant since a moment.
func (s *Store) DisclosedBytes(ctx context.Context, grantID string, since time.Time) (bytes int64, err error) {
	of := "grant_id = ?"
	if !s.db.IsServer() {
		of = "+" + of // by the index of the time: a grant may have a million rows
	}
	err = s.db.Read.NewSelect().Model((*disclosureRow)(nil)).ColumnExpr("CAST(coalesce(sum(bytes), 0) AS bigint)").
		Where("at_us >= ?", db.Micros(since)).Where(of, grantID).Scan(ctx, &bytes)
	return bytes, s.db.Fail("read what was disclosed", err)
}

// Disclosures returns reads, the newest first, below before where it is not 0; of one grant alone
// where it is named.
func (s *Store) Disclosures(ctx context.Context, grantID string, before, limit int64) ([]DisclosureShown, error) {
	var rows []disclosureRow
	query := s.db.Read.NewSelect().Model(&rows).Order("seq DESC").Limit(limit)
	if grantID != "" {
		query = query.Where("grant_id = ?", grantID)
	}
	if before > 0 {
		query = query.Where("seq < ?", before)
	}
	if err := query.Scan(ctx); err != nil {
		return nil, s.db.Fail("read what was disclosed", err)
	}
	out := make([]DisclosureShown, len(rows))
	for i := range rows {
		out[i] = rows[i].public()
	}
	return out, nil
}
