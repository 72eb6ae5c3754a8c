package tables

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
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
	Ignores      string `bun:"ignores"` // patterns, in JSON
	Words        string `bun:"words"`   // words on files as they were, in JSON
	Amiss        string `bun:"amiss"`   // a remark in JSON
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

	// Archive is the path of the archive that holds the entry, or "" for a file.
	Archive   string `json:"archive,omitempty"`
	Size      int64  `json:"size,omitempty"` // of the file or the archive, as in manifest.FileState
	ChangedMS int64  `json:"changed_ms,omitempty"`
	// More counts the unexplained entries of the archive that have no row. The archive's first row has the count.
	More int64 `json:"more,omitempty"`
}

// State is the file, or the archive that it is an entry of, as it was.
func (u *UnreadFile) State() manifest.FileState {
	return manifest.FileState{Root: u.Root, Path: cmp.Or(u.Archive, u.Path), Size: u.Size, ChangedMS: u.ChangedMS}
}

// Books are what became of the files of a connection's folders in the last run that looked
// at all of them.
type Books struct {
	BegunMS int64 // when the run began, in milliseconds since 1970
	Unread  []UnreadFile
	Beyond  int64 // how many more files nothing explains
	Nothing bool  // the run read no file

	Amiss Amiss

	// Words are what the owner had said when the run began, and Over those of them whose file has changed.
	// Neither is stored: Take removes Over from the owner's words.
	Words, Over []manifest.Word

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

	Size      int64 `json:"size,omitempty"` // as in manifest.FileState
	ChangedMS int64 `json:"changed_ms,omitempty"`
}

// State is the file as it was.
func (f *AmissFile) State() manifest.FileState {
	return manifest.FileState{Root: f.Root, Path: f.Path, Size: f.Size, ChangedMS: f.ChangedMS}
}

// Leave takes out of the books what the owner's words allow. A reason is settled once they allow it for every
// file that has it.
func (b *Books) Leave(words []manifest.Word) {
	b.Unread = slices.DeleteFunc(b.Unread, func(u UnreadFile) bool {
		if u.More > 0 && manifest.Allowed(words, u.State(), u.Archive, "") {
			b.Beyond = max(0, b.Beyond-u.More)
		}
		return manifest.Allowed(words, u.State(), u.Path, "")
	})
	open, gone := map[string]bool{}, []string{}
	for _, reason := range b.Amiss.Open {
		open[reason] = true
	}
	b.Amiss.Files = slices.DeleteFunc(b.Amiss.Files, func(f AmissFile) bool {
		if !manifest.Allowed(words, f.State(), f.Path, f.Reason) {
			open[f.Reason] = true
			return false
		}
		gone = append(gone, f.Reason)
		return true
	})
	gone = slices.DeleteFunc(gone, func(reason string) bool { return open[reason] })
	settled := slices.Concat(b.Amiss.Settled, gone)
	slices.Sort(settled)
	b.Amiss.Settled = slices.Compact(settled)
}

// Read returns the row's books, and what their owner has said of files.
func (r *BooksRow) Read() (b Books, words []manifest.Word, err error) {
	b = Books{BegunMS: r.BegunMS, Beyond: r.Beyond, Nothing: r.Nothing != 0}
	var also remark
	var patterns []string
	for _, column := range []struct {
		text string
		into any
	}{{r.Unread, &b.Unread}, {r.Ignores, &patterns}, {r.Words, &words}, {r.Amiss, &also}} {
		if column.text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(column.text), column.into); err != nil {
			return Books{}, nil, err
		}
	}
	b.Amiss, b.Ruled, b.Vague = also.Amiss, also.Ruled, also.Vague
	for _, p := range patterns {
		words = append(words, manifest.Word{Pattern: p})
	}
	return b, words, nil
}

// Say writes the owner's words into the row: rules are kept by themselves, since an older program reads them.
func (r *BooksRow) Say(words []manifest.Word) (err error) {
	patterns, ofFiles := []string{}, []manifest.Word{}
	for _, w := range words {
		if w.IsRule() {
			patterns = append(patterns, w.Pattern)
		} else {
			ofFiles = append(ofFiles, w)
		}
	}
	if r.Ignores, err = EncodeJSON(patterns); err == nil {
		r.Words, err = EncodeJSON(ofFiles)
	}
	return err
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

// Take writes the books of a run into the row, as the owner's words have them by now: some may have been said, or taken
// back, while it ran. Words whose file has changed end.
func (r *BooksRow) Take(b *Books) error {
	_, words, err := r.Read()
	if err != nil {
		return err
	}
	is := func(w manifest.Word) func(manifest.Word) bool {
		return func(o manifest.Word) bool { return reflect.DeepEqual(o, w) }
	}
	now := slices.DeleteFunc(slices.Clone(words), func(w manifest.Word) bool { return slices.ContainsFunc(b.Over, is(w)) })
	if slices.ContainsFunc(b.Words, func(w manifest.Word) bool { return !slices.ContainsFunc(words, is(w)) }) {
		b.Amiss.Settled = nil // by a word that was taken back
	}
	b.Leave(now)
	if len(now) < len(words) {
		if err := r.Say(now); err != nil {
			return err
		}
	}
	return r.Fill(b)
}

// Fill writes books into the row. Its owner's words stay.
func (r *BooksRow) Fill(b *Books) (err error) {
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
