package leftover

import (
	"context"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Files are the files of a connection's folders that nothing explains, those that are damaged or
// were not read, and those that are left alone.
type Files struct {
	Connection string `json:"connection"`
	// LookedAt is when the last run began that looked at all of the folders; nil: none has.
	LookedAt *time.Time `json:"looked_at"`
	// Unread are the files that nothing explains, at most 1,000, and More counts the others.
	Unread []File `json:"unread"`
	More   int64  `json:"more"`
	// Amiss are files that are damaged, or that the connector knows and did not read, at most
	// 1,000.
	Amiss []AmissFile `json:"amiss"`
	// Ignored are the owner's patterns, and Rules the connector's own. AsIs are those of Ignored that are about
	// one file as it was when its owner said so: they end when it changes.
	Ignored []string `json:"ignored"`
	AsIs    []string `json:"as_is,omitempty"`
	Rules   []Rule   `json:"rules"`
}

// File is a file that nothing explains. Kind says what its first bytes are like: zip, gzip,
// zstd, JSON, text, image, SQLite, PDF, empty, other, or "" where that is not known.
type File struct {
	Root string `json:"root"`
	Path string `json:"path"` // below the root; an archive's entry follows its archive and a slash
	Kind string `json:"kind,omitempty"`
}

// AmissFiles counts the files of Amiss, which has a file once for each of its reasons.
func (f *Files) AmissFiles() int64 {
	type named struct{ root, path string }
	files := make(map[named]bool, len(f.Amiss))
	for _, a := range f.Amiss {
		files[named{a.Root, a.Path}] = true
	}
	return int64(len(files))
}

// AmissFile is a file that is damaged, or known and not read: As is "damaged" or "known".
// Reason is that of the gap which tells of it.
type AmissFile struct {
	Root   string `json:"root"`
	Path   string `json:"path"` // below the root
	As     string `json:"as"`
	Reason string `json:"reason,omitempty"`
}

// IsAsItWas reports whether one of the owner's patterns is about a file as it was.
func (f *Files) IsAsItWas(pattern string) bool { return slices.Contains(f.AsIs, pattern) }

// Word is what the file is, for a reader.
func (a *AmissFile) Word() string {
	if a.As == abi.FileDamaged {
		return "damaged"
	}
	return "not read"
}

// Rule is a rule by which files are not for the connector.
type Rule struct {
	Pattern string `json:"pattern"`
	Reason  string `json:"reason"`
}

// Change is an owner's word on files: Ignore has files of the list, which may stay as they are, and patterns of
// those that are not for the connection, and Heed has earlier ones that hold no longer.
type Change struct{ Ignore, Heed []string }

// Store is what the books of connections are kept in.
type Store interface {
	Books(ctx context.Context, connectionID string) (storage.Books, []manifest.Word, error)
	Ignore(ctx context.Context, connectionID string, change func([]manifest.Word) []manifest.Word, left func(storage.Books, []manifest.Word) storage.Books) error
}

// maxIgnored bounds the owner's patterns.
const maxIgnored = 256

// Decide changes which files a connection leaves alone. The owner's word holds at once: a file
// that it is about is explained, and one that is heeded again is looked at by the next run.
func Decide(ctx context.Context, store Store, conn *storage.Connection, c Change) error {
	b, kept, err := store.Books(ctx, conn.ID)
	if err != nil {
		return err
	}
	ch, err := c.read(&b, kept)
	if err != nil {
		return err
	}
	if len(kept)+len(ch.words) > maxIgnored {
		return abi.NewError(abi.CodeUsage, "the connection ignores too many files one by one", "use one pattern for several files, as in *.bak or folder/")
	}
	return store.Ignore(ctx, conn.ID, ch.apply, ch.leave)
}

// Show returns the files of a connection.
func Show(ctx context.Context, store Store, conn *storage.Connection) (*Files, error) {
	b, ignored, err := store.Books(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	f := &Files{Connection: conn.Name, Unread: []File{}, Amiss: []AmissFile{}, More: b.Beyond, Ignored: []string{}, Rules: []Rule{}}
	for _, i := range ignored {
		if slices.Contains(f.Ignored, i.Pattern) {
			continue // of another folder
		}
		f.Ignored = append(f.Ignored, i.Pattern)
		if !i.IsRule() {
			f.AsIs = append(f.AsIs, i.Pattern)
		}
	}
	if b.BegunMS > 0 {
		at := time.UnixMilli(b.BegunMS).UTC()
		f.LookedAt = &at
	}
	for _, u := range b.Unread {
		f.Unread = append(f.Unread, File{u.Root, u.Path, u.Kind})
	}
	for _, a := range b.Amiss.Files {
		f.Amiss = append(f.Amiss, AmissFile{a.Root, a.Path, a.As, a.Reason})
	}
	if m, err := manifest.Parse(conn.PinnedManifest); err == nil && m.Requirements.LocalPaths != nil {
		for _, i := range m.Requirements.LocalPaths.Ignores {
			f.Rules = append(f.Rules, Rule(i))
		}
	}
	return f, nil
}
