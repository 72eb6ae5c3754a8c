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
	Scopes []string // of Doc; nil: any
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

type hitRow struct {
	readRow

	Docid    int64
	StreamID int64
}

// Search returns what q asks for. more: there may be others behind them.
func (s *Store) Search(ctx context.Context, q SearchQuery) (out []Hit, more bool, err error) {
	column, match := "rowid", "read_fts MATCH ?"
	expression := fileExpression(&q)
	if s.db.IsServer() {
		column, match, expression = "docid", "words @@ ?::tsquery", serverExpression(&q)
	}
	text, args := "SELECT "+column+" AS docid FROM read_fts WHERE "+match, []any{expression}
	if q.Before > 0 {
		text, args = text+" AND "+column+" < ?", append(args, docid(q.Before, 0))
	}
	columns, indexed := rowColumns, ""
	if q.Histories {
		columns, indexed = rowColumns+indexedColumns, "LEFT JOIN read_rows AS i ON i.stream_id = r.stream_id AND i.key = r.key "
	}
	text = "SELECT f.docid, coalesce(r.stream_id, 0) AS stream_id, coalesce(r.key, '') AS key, " + columns + " FROM (" + text + " ORDER BY " + column + " DESC LIMIT ?) AS f " +
		"LEFT JOIN records AS r ON r.seq = f.docid / 256 AND r.deleted = 0 " + indexed + "LEFT JOIN runs AS u ON u.pk = r.run_pk ORDER BY f.docid DESC"
	rows, cut, err := rowsOf(ctx, s.db.Read, q.Bytes, func(r *hitRow) int { return r.size() }, text, append(args, q.Limit)...)
	if err != nil {
		return nil, false, s.db.Fail("search", err)
	}
	out = make([]Hit, len(rows))
	for i := range rows {
		out[i] = Hit{rows[i].public(rows[i].StreamID), rows[i].Docid / MostFields}
	}
	return out, cut || len(rows) == q.Limit, nil
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
