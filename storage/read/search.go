package read

import (
	"context"
	"strings"
)

// Term is words that stand one behind the other. None of them is empty, or has a character
// that is no letter and no number.
type Term struct {
	Words  []string
	Prefix bool // the last one may go on
}

// SearchQuery asks for documents with all of the terms, the newest first.
type SearchQuery struct {
	Terms  []Term
	Scopes []string // a document has one of them; nil: any
	Before int64    // only records with a lower seq; 0: from the newest on
	Limit  int      // of documents
	Bytes  int      // of their records together, but for the last of them

	Histories bool // of the records as well
}

// Hit is a document that was found, with its record as it is now.
type Hit struct {
	Row

	Indexed int64 // the record's seq when it was indexed; Seq is 0 when it has changed since
}

// Search returns what q asks for. more: there may be others behind them.
func (s *Store) Search(ctx context.Context, q SearchQuery) (out []Hit, more bool, err error) {
	column, where := "f.rowid", " WHERE read_fts MATCH ?"
	expression := fileExpression(&q)
	if s.db.IsServer() {
		column, where, expression = "f.docid", " WHERE f.words @@ ?::tsquery", serverExpression(&q)
	}
	args := []any{expression}
	if q.Before > 0 {
		where, args = where+" AND "+column+" > ?", append(args, docid(q.Before, 0))
	}
	columns, joins := rowColumns, " LEFT JOIN records AS r ON r.seq = "+seqOf(column)+" AND r.deleted = 0 "
	if q.Histories {
		columns, joins = columns+indexedColumns, joins+"LEFT JOIN read_rows AS i ON i.stream_id = r.stream_id AND i.key = r.key "
	}
	columns = "SELECT " + column + ", coalesce(r.stream_id, 0), coalesce(r.key, ''), " + columns + " FROM "
	joins += "LEFT JOIN runs AS u ON u.pk = r.run_pk"
	order := " ORDER BY " + column
	// As in ReadPage: a file's join keeps the order.
	text := columns + "read_fts AS f" + joins + where + order + " LIMIT ?"
	if s.db.IsServer() {
		text = columns + "(SELECT f.docid FROM read_fts AS f" + where + order + " LIMIT ?) AS f" + joins + order
	}
	var doc int64
	cut, err := s.rowsOf(ctx, q.Bytes, func(r *scanned) []any {
		if q.Histories {
			return r.indexed(&doc, &r.StreamID, &r.Key)
		}
		return r.record(&doc, &r.StreamID, &r.Key)
	}, func(r *Row) { out = append(out, Hit{*r, -doc / MostFields}) }, text, append(args, q.Limit)...)
	if err != nil {
		return nil, false, s.db.Fail("search", err)
	}
	return out, cut || len(out) == q.Limit, nil
}

// fileExpression writes the query as FTS5 reads it: each word is a string, so that none is
// an operator.
func fileExpression(q *SearchQuery) string {
	terms := make([]string, len(q.Terms))
	for i, t := range q.Terms {
		terms[i] = `"` + strings.Join(t.Words, " ") + `"`
		if t.Prefix {
			terms[i] += " *"
		}
	}
	text := "body : (" + strings.Join(terms, " AND ") + ")"
	if q.Scopes != nil {
		text = `scope : ("` + strings.Join(q.Scopes, `" OR "`) + `") AND ` + text
	}
	return text
}

// serverExpression writes it as a tsquery.
func serverExpression(q *SearchQuery) string {
	terms := make([]string, len(q.Terms))
	for i, t := range q.Terms {
		words := make([]string, len(t.Words))
		for j, w := range t.Words {
			words[j] = lexeme(w)
		}
		terms[i] = "(" + strings.Join(words, " <-> ")
		if t.Prefix {
			terms[i] += ":*"
		}
		terms[i] += ")"
	}
	text := strings.Join(terms, " & ")
	if q.Scopes != nil {
		scopes := make([]string, len(q.Scopes))
		for i, s := range q.Scopes {
			scopes[i] = lexeme(scopeMark + s)
		}
		text = "(" + strings.Join(scopes, " | ") + ") & " + text
	}
	return text
}

// ReadUnknown returns how many live records of some streams the read state does not have; nil: of all
// streams. Those that it has as they were are not counted.
func (s *Store) ReadUnknown(ctx context.Context, streams []int64) (total int64, err error) {
	text, args := "SELECT s.live - coalesce((SELECT sum(d.records) FROM read_days d WHERE d.stream_id = s.id), 0) AS missing FROM streams s WHERE s.removed = 0", []any{}
	if streams != nil {
		text, args = text+" AND s.id IN (?)", append(args, inList(streams))
	}
	err = s.db.Read.NewRaw("SELECT coalesce(sum(CASE WHEN missing > 0 THEN missing ELSE 0 END), 0) FROM ("+text+") AS m", args...).Scan(ctx, &total)
	return total, s.db.Fail("count what is not indexed", err)
}
