package tables

import (
	"encoding/json"

	"github.com/uptrace/bun"
)

// BooksRow is what became of the files of one connection's folders.
type BooksRow struct {
	bun.BaseModel `bun:"table:books"`

	ConnectionID string `bun:"connection_id,pk"`
	BegunMS      int64  `bun:"begun_ms"`
	Unread       string `bun:"unread"`
	Beyond       int64  `bun:"beyond"`
	Nothing      int64  `bun:"read_nothing"`
	Ignores      string `bun:"ignores"`
}

// UnreadFile is a file of a granted folder, or an entry of an archive in it, that nothing
// explains. Kind says what its first bytes are like, "" where that is not known.
type UnreadFile struct {
	Root string `json:"root"`
	Path string `json:"path"` // below the root; an entry follows its archive and a slash
	Kind string `json:"kind,omitempty"`
}

// Books are what became of the files of a connection's folders in the last run that looked
// at all of them.
type Books struct {
	BegunMS int64 // when the run began, in milliseconds since 1970
	Unread  []UnreadFile
	Beyond  int64 // how many more files nothing explains
	Nothing bool  // the run read no file
}

// Read returns the row's books, and the patterns of files that their owner has said are not
// for the connection.
func (r *BooksRow) Read() (b Books, ignores []string, err error) {
	b = Books{BegunMS: r.BegunMS, Beyond: r.Beyond, Nothing: r.Nothing != 0}
	for _, column := range []struct {
		text string
		into any
	}{{r.Unread, &b.Unread}, {r.Ignores, &ignores}} {
		if column.text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(column.text), column.into); err != nil {
			return Books{}, nil, err
		}
	}
	return b, ignores, nil
}

// Fill writes books into the row. Its owner's patterns stay.
func (r *BooksRow) Fill(b *Books) (err error) {
	r.BegunMS, r.Beyond, r.Nothing, r.Unread = b.BegunMS, b.Beyond, 0, ""
	if b.Nothing {
		r.Nothing = 1
	}
	if len(b.Unread) > 0 {
		r.Unread, err = EncodeJSON(b.Unread)
	}
	return err
}
