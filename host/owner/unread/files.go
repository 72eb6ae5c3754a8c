package unread

import (
	"context"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Files are the files of a connection's folders that nothing explains, and those that are left
// alone.
type Files struct {
	Connection string `json:"connection"`
	// LookedAt is when the last run began that looked at all of the folders; nil: none has.
	LookedAt *time.Time `json:"looked_at"`
	// Unread are the files that nothing explains, at most 1,000, and More counts the others.
	Unread []File `json:"unread"`
	More   int64  `json:"more"`
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

// Rule is a rule by which files are not for the connector.
type Rule struct {
	Pattern string `json:"pattern"`
	Reason  string `json:"reason"`
}

// Change is an owner's word on files: Ignore has patterns of those that are not for the
// connection, and Heed has earlier patterns that hold no longer.
type Change struct{ Ignore, Heed []string }

// maxIgnored bounds the owner's patterns.
const maxIgnored = 256

// Show returns the files of a connection.
func Show(ctx context.Context, o *owner.Owner, name string) (*Files, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	return filesOf(ctx, store, conn)
}

// Decide changes which files a connection leaves alone. The owner's word holds at once: a file
// that a pattern covers is explained, and one that is heeded again is looked at by the next
// run.
func Decide(ctx context.Context, o *owner.Owner, name string, c Change) (*Files, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	err = o.Audited(ctx, store, "connections.ignore", conn.Name, func(ctx context.Context) error {
		b, kept, err := store.Books(ctx, conn.ID)
		if err != nil {
			return err
		}
		for _, pattern := range c.Ignore {
			named := func(u storage.UnreadFile) bool { return u.Path == pattern }
			if !manifest.IsPattern(pattern) && !slices.ContainsFunc(b.Unread, named) {
				return abi.NewError(abi.CodeUsage, "a pattern cannot be used", "it "+manifest.RulePattern)
			}
		}
		for _, pattern := range c.Heed {
			if !slices.Contains(kept, pattern) {
				return abi.NewError(abi.CodeUsage, "a pattern is none of those that the connection ignores", "see which there are: pdpp-host connections files "+conn.Name)
			}
		}
		if len(kept)+len(c.Ignore) > maxIgnored {
			return abi.NewError(abi.CodeUsage, "the connection ignores too many patterns", "use one pattern for several files, as in *.bak or folder/")
		}
		return store.Ignore(ctx, conn.ID, c.apply, left)
	})
	if err != nil {
		return nil, err
	}
	return filesOf(ctx, store, conn)
}

// apply returns the patterns after the change, sorted.
func (c Change) apply(ignores []string) []string {
	all := slices.DeleteFunc(slices.Concat(ignores, c.Ignore), func(p string) bool { return slices.Contains(c.Heed, p) })
	slices.Sort(all)
	return slices.Compact(all)
}

// left returns the books without the files that a pattern covers.
func left(b storage.Books, ignores []string) storage.Books {
	b.Unread = slices.DeleteFunc(b.Unread, func(u storage.UnreadFile) bool {
		return slices.ContainsFunc(ignores, func(p string) bool { return manifest.Covers(abi.Ignore{Pattern: p}, u.Path) })
	})
	return b
}

func filesOf(ctx context.Context, store *storage.Store, conn *storage.Connection) (*Files, error) {
	b, ignored, err := store.Books(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	f := &Files{Connection: conn.Name, Unread: []File{}, More: b.Beyond, Ignored: append([]string{}, ignored...), Rules: []Rule{}}
	if b.BegunMS > 0 {
		at := time.UnixMilli(b.BegunMS).UTC()
		f.LookedAt = &at
	}
	for _, u := range b.Unread {
		f.Unread = append(f.Unread, File(u))
	}
	if m, err := manifest.Parse(conn.PinnedManifest); err == nil && m.Requirements.LocalPaths != nil {
		for _, i := range m.Requirements.LocalPaths.Ignores {
			f.Rules = append(f.Rules, Rule(i))
		}
	}
	return f, nil
}
