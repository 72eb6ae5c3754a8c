package record

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Unreadable is a range of changes, both ends included, whose records no query can
// read. How many records it held, of which streams, only the counters tell.
type Unreadable struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// salvagePage is how many changes are read at once. A page that is damaged is halved
// until each change of it was asked for by itself.
const salvagePage = 256

// Salvage calls fn with every record and tombstone of a stream that can be read, by
// seq, around what is damaged in the file, and returns what was not. It uses no index:
// a damaged one costs no record. RunID is not told. A record that reads as something
// that the store never writes counts as unreadable. An error of fn ends it and is
// returned as it is.
func (s *Store) Salvage(ctx context.Context, connection, stream string, fn func(Record) error) ([]Unreadable, error) {
	if s.db.IsServer() {
		return nil, abi.NewError(abi.CodeStoreUnavailable, "records are salvaged from a damaged file, and this store is on PostgreSQL",
			"read it with pg_dump, or restore the server's backup").WithDetail(s.db.Path)
	}
	st, err := s.streamOf(ctx, connection, stream)
	if err != nil {
		return nil, err
	}
	v := salvager{s: s, ctx: ctx, stream: st, fn: fn}
	for from := int64(1); from <= st.LastSeq; from += salvagePage {
		if err := v.read(from, min(from+salvagePage-1, st.LastSeq)); err != nil {
			return v.lost, err
		}
	}
	return v.lost, nil
}

type salvager struct {
	s      *Store
	ctx    context.Context //nolint:containedctx // of one call of Salvage
	stream *tables.StreamRow
	fn     func(Record) error
	lost   []Unreadable
}

// read hands out a range of changes, or, where that is damaged, its halves.
func (v *salvager) read(from, to int64) error {
	var rows []readRecord
	err := v.s.db.Read.NewRaw("SELECT seq, stream_id, key, data, deleted, emitted_at, '' AS run_id FROM records NOT INDEXED WHERE seq BETWEEN ? AND ? ORDER BY seq", from, to).
		Scan(v.ctx, &rows)
	if err != nil {
		if err = v.s.db.Fail("salvage", err); abi.CodeOf(err) != abi.CodeStoreCorrupt {
			return err
		}
		if from == to {
			v.lose(from)
			return nil
		}
		middle := from + (to-from)/2
		if err := v.read(from, middle); err != nil {
			return err
		}
		return v.read(middle+1, to)
	}
	for i := range rows {
		r := rows[i].public(v.stream.Name)
		switch {
		case !sound(&r):
			v.lose(r.Seq)
		case rows[i].StreamID != v.stream.ID:
		default:
			if err := v.fn(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// sound reports whether a record is one that the store may have written.
func sound(r *Record) bool {
	return r.Key != "" && utf8.ValidString(r.Key) && (r.Deleted || json.Valid(r.Data))
}

func (v *salvager) lose(seq int64) {
	if n := len(v.lost); n > 0 && v.lost[n-1].To == seq-1 {
		v.lost[n-1].To = seq
		return
	}
	v.lost = append(v.lost, Unreadable{seq, seq})
}
