package data

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// SearchRequest asks for records with words in them. Any text is one: words, "phrases", and
// behind the last word a * for any end.
type SearchRequest struct {
	Text        string
	Streams     []string // nil: all
	Connections []string // by name or id; nil: all
	Limit       int      // 1 to 100; 0: 25
	Cursor      string
}

// Hit is a record that was found. Its texts are a stranger's.
type Hit struct {
	Record

	Matched []string `json:"matched_fields"`
	Field   string   `json:"field"`   // of the snippet
	Snippet string   `json:"snippet"` // a part of the field
	Before  bool     `json:"more_before"`
	Behind  bool     `json:"more_behind"`
}

// Found is a part of what was found, the newest records first.
type Found struct {
	Hits     []Hit     `json:"hits"`
	Next     string    `json:"next_cursor,omitempty"`          // "": this is the last part
	Complete bool      `json:"complete"`                       // all that matches is in this part and those around it
	Unknown  int64     `json:"records_not_searched,omitempty"` // 0: none, or, where it is not complete, older ones of some
	Behind   int64     `json:"changes_not_indexed,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
}

// Search finds records by the fields that their connectors declare for it.
func Search(ctx context.Context, o *owner.Owner, r SearchRequest) (*Found, error) {
	reader, err := o.Reader(ctx)
	if err != nil {
		return nil, err
	}
	found, err := reader.Search(ctx, read.OwnerScope(), read.Search{Text: r.Text, Streams: r.Streams, Connections: r.Connections, Limit: r.Limit, Cursor: r.Cursor})
	if err != nil {
		return nil, err
	}
	f := &Found{Hits: make([]Hit, len(found.Hits)), Next: found.Next, Complete: !found.Late, Unknown: found.Unknown, Behind: found.Behind, Warnings: found.Warnings}
	for i := range found.Hits {
		h := &found.Hits[i]
		f.Hits[i] = Hit{shown(&h.Record), h.Matched, h.Field, h.Snippet, h.Before, h.Behind}
	}
	return f, nil
}
