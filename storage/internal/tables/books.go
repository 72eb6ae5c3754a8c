package tables

import (
	"encoding/json"
	"slices"

	"github.com/uptrace/bun"
)

// BooksRow is what became of the files of one connection's folders, and which fields of its
// records carry data.
type BooksRow struct {
	bun.BaseModel `bun:"table:books"`

	ConnectionID string `bun:"connection_id,pk"`
	BegunMS      int64  `bun:"begun_ms"`
	Unread       string `bun:"unread"`
	Beyond       int64  `bun:"beyond"`
	Nothing      int64  `bun:"read_nothing"`
	Ignores      string `bun:"ignores"`
	Amiss        string `bun:"amiss"` // a remark in JSON
	Fields       string `bun:"fields"`
}

// remark is what the books say besides.
type remark struct {
	Amiss

	Ruled []string `json:"ruled,omitempty"`
	Vague bool     `json:"vague,omitempty"`
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

	Amiss Amiss

	// Over are reasons for which the owner ignored a file, and which it has no longer. They are not stored:
	// the owner's words lose them.
	Over []Ignored

	// Ruled are the patterns of files that were left alone in that run, or since then.
	Ruled []string
	Vague bool // there were so many files that some may have been taken for others
}

// Amiss are the files that the connector said are damaged, or known and not read, and the reasons
// that its owner has settled by ignoring every file that they were given for.
type Amiss struct {
	Files   []AmissFile `json:"files,omitempty"`
	Settled []string    `json:"settled,omitempty"`
	Open    []string    `json:"open,omitempty"` // reasons of files that are not in Files
}

// Unsettle takes what a later run said that did not look at all folders: what it said of a file ends the settlement
// of that reason, and the file is added to the others. It reports whether something changed.
func (a *Amiss) Unsettle(said Amiss) bool {
	again := func(reason string) bool {
		return slices.Contains(said.Open, reason) || slices.ContainsFunc(said.Files, func(f AmissFile) bool { return f.Reason == reason })
	}
	settled := slices.DeleteFunc(slices.Clone(a.Settled), again)
	if len(settled) == len(a.Settled) {
		return false
	}
	for _, f := range said.Files {
		if slices.Contains(a.Settled, f.Reason) && !slices.Contains(a.Files, f) {
			a.Files = append(a.Files, f)
		}
	}
	for _, reason := range said.Open {
		if slices.Contains(a.Settled, reason) && !slices.Contains(a.Open, reason) {
			a.Open = append(a.Open, reason)
		}
	}
	a.Settled = settled
	return true
}

// AmissFile is one of them. As is abi.FileDamaged or abi.FileKnown, and Reason that of the
// SKIP_RESULT or the gap which tells of it.
type AmissFile struct {
	Root   string `json:"root"`
	Path   string `json:"path"` // below the root
	As     string `json:"as"`
	Reason string `json:"reason,omitempty"`
}

// Read returns the row's books, and what their owner has said of files.
func (r *BooksRow) Read() (b Books, ignores []Ignored, err error) {
	b = Books{BegunMS: r.BegunMS, Beyond: r.Beyond, Nothing: r.Nothing != 0}
	var also remark
	for _, column := range []struct {
		text string
		into any
	}{{r.Unread, &b.Unread}, {r.Ignores, &ignores}, {r.Amiss, &also}} {
		if column.text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(column.text), column.into); err != nil {
			return Books{}, nil, err
		}
	}
	b.Amiss, b.Ruled, b.Vague = also.Amiss, also.Ruled, also.Vague
	return b, ignores, nil
}

// Fields are those of one stream's records, by name.
type Fields struct {
	Carried []string `json:"carried"`        // carry data in nearly every record, or did
	Gone    []string `json:"gone,omitempty"` // of these, those that are null in nearly every one since
}

// ReadFields returns the fields of each stream of which a run has said so; empty: none has.
func (r *BooksRow) ReadFields() (map[string]Fields, error) {
	fields := map[string]Fields{}
	if r.Fields == "" {
		return fields, nil
	}
	err := json.Unmarshal([]byte(r.Fields), &fields)
	return fields, err
}

// Fill writes books into the row. Its owner's words stay, but for what is over.
func (r *BooksRow) Fill(b *Books) (err error) {
	if len(b.Over) > 0 {
		_, ignores, err := r.Read()
		if err != nil {
			return err
		}
		if r.Ignores, err = EncodeJSON(Without(ignores, b.Over)); err != nil {
			return err
		}
	}
	r.BegunMS, r.Beyond, r.Nothing, r.Unread, r.Amiss = b.BegunMS, b.Beyond, 0, "", ""
	if b.Nothing {
		r.Nothing = 1
	}
	if len(b.Unread) > 0 {
		if r.Unread, err = EncodeJSON(b.Unread); err != nil {
			return err
		}
	}
	if len(b.Amiss.Files)+len(b.Amiss.Settled)+len(b.Ruled) > 0 || b.Vague {
		r.Amiss, err = EncodeJSON(remark{b.Amiss, b.Ruled, b.Vague})
	}
	return err
}
