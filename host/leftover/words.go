package leftover

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/storage"
)

// words are a change as the store keeps it: what is ignored, and the patterns that are heeded again.
type words struct {
	ignore []storage.Ignored
	heed   []string
}

// words reads a change. The name of a file of the books, or of an archive of which they have entries, stands for that
// very file as it is now. It is never read as a pattern.
func (c Change) words(b *storage.Books, kept []storage.Ignored) (w words, err error) {
	for _, name := range c.Ignore {
		file := strings.TrimPrefix(name, "/")
		switch told := asItIs(b, file); {
		case len(told) > 0:
			w.ignore = append(w.ignore, told...)
		case !manifest.IsPattern(name):
			return w, abi.NewError(abi.CodeUsage, "a pattern cannot be used", "it "+manifest.RulePattern)
		case within(b, name) != "":
			return w, abi.NewError(abi.CodeUsage, "what is amiss is told of the archive, not of what is in it", "ignore the archive: "+within(b, name))
		default:
			w.ignore = append(w.ignore, storage.Ignored{Pattern: name})
		}
	}
	for _, name := range c.Heed {
		exact := manifest.ExactFile(strings.TrimPrefix(name, "/"))
		n := len(w.heed)
		for _, i := range kept {
			if i.Pattern == name || i.Pattern == exact || len(i.For) > 0 && strings.HasPrefix(i.Pattern, exact+"/") {
				w.heed = append(w.heed, i.Pattern)
			}
		}
		if len(w.heed) == n {
			return w, abi.NewError(abi.CodeUsage, "a pattern is none of those that the connection ignores", "look at the list of its files, which has them")
		}
	}
	return w, nil
}

// asItIs returns the owner's words on a file of the books, with the reasons that it has, and on each file or
// entry in it that nothing explains.
func asItIs(b *storage.Books, file string) (told []storage.Ignored) {
	itself := storage.Ignored{Pattern: manifest.ExactFile(file)}
	for _, u := range b.Unread {
		switch {
		case u.Path == file:
			itself.For = append(itself.For, "")
		case strings.HasPrefix(u.Path, file+"/"):
			told = append(told, storage.Ignored{Pattern: manifest.ExactFile(u.Path), For: []string{""}})
		}
	}
	for _, a := range b.Amiss.Files {
		if a.Path == file {
			itself.For = append(itself.For, a.Reason)
		}
	}
	if len(itself.For) > 0 {
		itself.For = union(itself.For)
		told = append(told, itself)
	}
	return told
}

// within returns the file of which the books say that something is amiss with it, and in which name would be;
// "" if there is no such file.
func within(b *storage.Books, name string) string {
	at := slices.IndexFunc(b.Amiss.Files, func(a storage.AmissFile) bool { return strings.HasPrefix(name, a.Path+"/") })
	if at < 0 {
		return ""
	}
	return b.Amiss.Files[at].Path
}

// apply returns the owner's words after the change, sorted by pattern.
func (w words) apply(ignores []storage.Ignored) (all []storage.Ignored) {
	byPattern := map[string]storage.Ignored{}
	for _, i := range slices.Concat(ignores, w.ignore) {
		if before, is := byPattern[i.Pattern]; is && len(i.For) > 0 {
			i.For = union(before.For, i.For)
		}
		byPattern[i.Pattern] = i
	}
	for _, pattern := range w.heed {
		delete(byPattern, pattern)
	}
	for _, i := range byPattern {
		all = append(all, i)
	}
	slices.SortFunc(all, func(x, y storage.Ignored) int { return cmp.Compare(x.Pattern, y.Pattern) })
	return all
}

// union returns all the words, sorted.
func union(words ...[]string) []string {
	all := slices.Concat(words...)
	slices.Sort(all)
	return slices.Compact(all)
}

// left returns the books after the change. The next run takes no file for read that a pattern
// covered, whether the pattern holds or was taken back.
func (w words) left(b storage.Books, ignores []storage.Ignored) storage.Books {
	patterns := make([]string, len(ignores))
	for i := range ignores {
		patterns[i] = ignores[i].Pattern
	}
	b.Ruled = union(b.Ruled, patterns, w.heed)
	return left(b, ignores, len(w.heed) > 0)
}

// left returns the books without what the owner's words allow. A reason is settled once they allow it for
// every file that has it. When the owner takes a word back, nothing is settled until the next run.
func left(b storage.Books, ignores []storage.Ignored, heeds bool) storage.Books {
	allowed := func(path, reason string) bool {
		return slices.ContainsFunc(ignores, func(i storage.Ignored) bool { return manifest.Allows(i.Pattern, i.For, path, reason) })
	}
	b.Unread = slices.DeleteFunc(b.Unread, func(u storage.UnreadFile) bool { return allowed(u.Path, "") })
	open, gone := map[string]bool{}, []string{}
	for _, reason := range b.Amiss.Open {
		open[reason] = true
	}
	b.Amiss.Files = slices.DeleteFunc(b.Amiss.Files, func(f storage.AmissFile) bool {
		if !allowed(f.Path, f.Reason) {
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
	gone = slices.DeleteFunc(gone, func(reason string) bool { return open[reason] })
	b.Amiss.Settled = union(b.Amiss.Settled, gone)
	return b
}
