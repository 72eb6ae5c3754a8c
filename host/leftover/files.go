package leftover

import (
	"context"
	"slices"
	"strings"
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
	// Ignored are the owner's patterns, and Rules the connector's own.
	Ignored []string `json:"ignored"`
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

// Change is an owner's word on files: Ignore has patterns of those that are not for the
// connection, and Heed has earlier patterns that hold no longer.
type Change struct{ Ignore, Heed []string }

// Store is what the books of connections are kept in.
type Store interface {
	Books(ctx context.Context, connectionID string) (storage.Books, []string, error)
	Ignore(ctx context.Context, connectionID string, change func(ignores []string) []string, left func(storage.Books, []string) storage.Books) error
}

// maxIgnored bounds the owner's patterns.
const maxIgnored = 256

// Decide changes which files a connection leaves alone. The owner's word holds at once: a file
// that a pattern covers is explained, and one that is heeded again is looked at by the next
// run.
func Decide(ctx context.Context, store Store, conn *storage.Connection, c Change) error {
	b, kept, err := store.Books(ctx, conn.ID)
	if err != nil {
		return err
	}
	c = c.exact(&b, kept)
	for _, pattern := range c.Ignore {
		if file, exact := strings.CutPrefix(pattern, "/"); !manifest.IsPattern(pattern) && !(exact && names(&b, file)) {
			return abi.NewError(abi.CodeUsage, "a pattern cannot be used", "it "+manifest.RulePattern)
		}
	}
	for _, pattern := range c.Heed {
		if !slices.Contains(kept, pattern) {
			return abi.NewError(abi.CodeUsage, "a pattern is none of those that the connection ignores", "look at the list of its files, which has them")
		}
	}
	if len(kept)+len(c.Ignore) > maxIgnored {
		return abi.NewError(abi.CodeUsage, "the connection ignores too many patterns", "use one pattern for several files, as in *.bak or folder/")
	}
	return store.Ignore(ctx, conn.ID, c.apply, c.left)
}

// apply returns the patterns after the change, sorted.
func (c Change) apply(ignores []string) []string {
	return slices.DeleteFunc(union(ignores, c.Ignore), func(p string) bool { return slices.Contains(c.Heed, p) })
}

// union returns all the patterns, sorted.
func union(patterns ...[]string) []string {
	all := slices.Concat(patterns...)
	slices.Sort(all)
	return slices.Compact(all)
}

// exact returns the change about the very file where it names one of the books, or one that is
// ignored already: a name is never read as a pattern.
func (c Change) exact(b *storage.Books, kept []string) Change {
	c.Ignore, c.Heed = slices.Clone(c.Ignore), slices.Clone(c.Heed)
	for i, name := range c.Ignore {
		if names(b, name) {
			c.Ignore[i] = manifest.ExactFile(name)
		}
	}
	for i, name := range c.Heed {
		if exact := manifest.ExactFile(name); !slices.Contains(kept, name) && slices.Contains(kept, exact) {
			c.Heed[i] = exact
		}
	}
	return c
}

// names reports whether the books have a file of that path.
func names(b *storage.Books, path string) bool {
	return slices.ContainsFunc(b.Unread, func(u storage.UnreadFile) bool { return u.Path == path }) ||
		slices.ContainsFunc(b.Amiss.Files, func(f storage.AmissFile) bool { return f.Path == path })
}

// left returns the books after the change. The next run takes no file for read that a pattern
// covered, whether the pattern holds or was taken back.
func (c Change) left(b storage.Books, ignores []string) storage.Books {
	b.Ruled = union(b.Ruled, ignores, c.Heed)
	return left(b, ignores, len(c.Heed) > 0)
}

// left returns the books without the files that a pattern covers. A reason is settled once patterns
// cover every file that has it. When the owner takes a pattern back, nothing is settled until the
// next run.
func left(b storage.Books, ignores []string, heeds bool) storage.Books {
	covered := func(path string) bool {
		return slices.ContainsFunc(ignores, func(p string) bool { return manifest.Covers(abi.Ignore{Pattern: p}, path) })
	}
	b.Unread = slices.DeleteFunc(b.Unread, func(u storage.UnreadFile) bool { return covered(u.Path) })
	open, gone := map[string]bool{}, []string{}
	for _, reason := range b.Amiss.Open {
		open[reason] = true
	}
	b.Amiss.Files = slices.DeleteFunc(b.Amiss.Files, func(f storage.AmissFile) bool {
		if !covered(f.Path) {
			open[f.Reason] = true
			return false
		}
		gone = append(gone, f.Reason)
		return true
	})
	if heeds {
		b.Amiss.Settled = nil
		return b
	}
	for _, reason := range gone {
		if !open[reason] {
			b.Amiss.Settled = append(b.Amiss.Settled, reason)
		}
	}
	slices.Sort(b.Amiss.Settled)
	b.Amiss.Settled = slices.Compact(b.Amiss.Settled)
	return b
}

// Show returns the files of a connection.
func Show(ctx context.Context, store Store, conn *storage.Connection) (*Files, error) {
	b, ignored, err := store.Books(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	f := &Files{Connection: conn.Name, Unread: []File{}, Amiss: []AmissFile{}, More: b.Beyond, Ignored: append([]string{}, ignored...), Rules: []Rule{}}
	if b.BegunMS > 0 {
		at := time.UnixMilli(b.BegunMS).UTC()
		f.LookedAt = &at
	}
	for _, u := range b.Unread {
		f.Unread = append(f.Unread, File(u))
	}
	for _, a := range b.Amiss.Files {
		f.Amiss = append(f.Amiss, AmissFile(a))
	}
	if m, err := manifest.Parse(conn.PinnedManifest); err == nil && m.Requirements.LocalPaths != nil {
		for _, i := range m.Requirements.LocalPaths.Ignores {
			f.Rules = append(f.Rules, Rule(i))
		}
	}
	return f, nil
}
