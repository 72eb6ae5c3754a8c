package leftover

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/storage"
)

// change is a Change as the store keeps it: the owner's words, and the patterns of those that are taken back.
type change struct {
	words []manifest.Word
	heed  []string
}

// read reads a change. The name of a file of the books, or of an archive of which they have entries, stands for that
// very file as it is now. It is never read as a pattern. A word that the store has already is not said again.
func (c Change) read(b *storage.Books, kept []manifest.Word) (ch change, err error) {
	for _, name := range c.Ignore {
		file := strings.TrimPrefix(name, "/")
		exact := manifest.ExactFile(file)
		archive := within(b, name)
		said := slices.ContainsFunc(kept, func(w manifest.Word) bool { return w.Pattern == name || w.Pattern == exact })
		switch told := asItIs(b, file); {
		case len(told) > 0:
			ch.words = append(ch.words, told...)
		case said:
		case !manifest.IsPattern(name):
			return ch, abi.NewError(abi.CodeUsage, "a pattern cannot be used", "it "+manifest.RulePattern)
		case archive != "":
			return ch, abi.NewError(abi.CodeUsage, "what is amiss is told of the archive, not of what is in it", "ignore the archive: "+archive)
		case !strings.HasSuffix(name, "/") && holds(b, name+"/"):
			return ch, abi.NewError(abi.CodeUsage, "it is a folder with files of the list", "write "+name+"/ for whatever is in it, or name the files")
		default:
			ch.words = append(ch.words, manifest.Word{Pattern: name})
		}
	}
	for _, name := range c.Heed {
		exact := manifest.ExactFile(strings.TrimPrefix(name, "/"))
		n := len(ch.heed)
		for _, w := range kept {
			if w.Pattern == name || w.Pattern == exact {
				ch.heed = append(ch.heed, w.Pattern)
			}
		}
		if len(ch.heed) == n {
			return ch, abi.NewError(abi.CodeUsage, "a pattern is none of those that the connection ignores", "look at the list of its files, which has them")
		}
	}
	return ch, nil
}

// asItIs returns the owner's words on a file of the books, or of several folders' files of that path, with the reasons
// that each has.
func asItIs(b *storage.Books, file string) (told []manifest.Word) {
	add := func(f manifest.FileState, path, reason string) {
		at := slices.IndexFunc(told, func(w manifest.Word) bool { return w.Root == f.Root })
		if at < 0 {
			at = len(told)
			told = append(told, manifest.AsItWas(f, path, nil))
		}
		told[at].For = union(told[at].For, []string{reason})
	}
	for i := range b.Unread {
		if u := &b.Unread[i]; u.Path == file || u.Archive == file {
			add(u.State(), file, "")
		}
	}
	for i := range b.Amiss.Files {
		if f := &b.Amiss.Files[i]; f.Path == file {
			add(f.State(), file, f.Reason)
		}
	}
	return told
}

// within returns the file of which the books say that something is amiss with it, and in which name would be;
// "" if there is no such file.
func within(b *storage.Books, name string) string {
	at := slices.IndexFunc(b.Amiss.Files, func(a storage.AmissFile) bool {
		return strings.HasPrefix(strings.TrimSuffix(name, "/"), a.Path+"/")
	})
	if at < 0 {
		return ""
	}
	return b.Amiss.Files[at].Path
}

// holds reports whether the books have a file below a folder.
func holds(b *storage.Books, folder string) bool {
	return slices.ContainsFunc(b.Unread, func(u storage.UnreadFile) bool { return strings.HasPrefix(u.Path, folder) }) ||
		slices.ContainsFunc(b.Amiss.Files, func(a storage.AmissFile) bool { return strings.HasPrefix(a.Path, folder) })
}

// apply returns the owner's words after the change, sorted by pattern and folder.
func (c change) apply(words []manifest.Word) (all []manifest.Word) {
	for _, w := range slices.Concat(words, c.words) {
		same := func(o manifest.Word) bool { return o.Pattern == w.Pattern && o.Root == w.Root }
		if at := slices.IndexFunc(all, same); at < 0 {
			all = append(all, w)
		} else if of := &all[at]; of.Size == w.Size && of.ChangedMS == w.ChangedMS && !of.IsRule() {
			of.For = union(of.For, w.For)
		} else {
			*of = w
		}
	}
	all = slices.DeleteFunc(all, func(w manifest.Word) bool { return slices.Contains(c.heed, w.Pattern) })
	slices.SortFunc(all, func(x, y manifest.Word) int {
		return cmp.Or(cmp.Compare(x.Pattern, y.Pattern), cmp.Compare(x.Root, y.Root))
	})
	return all
}

// union returns all the texts, sorted.
func union(texts ...[]string) []string {
	all := slices.Concat(texts...)
	slices.Sort(all)
	return slices.Compact(all)
}

// leave returns the books after the change. The next run takes no file for read that a pattern covered,
// whether the pattern holds or was taken back. When the owner takes a word back, nothing is settled
// until the next run.
func (c change) leave(b storage.Books, words []manifest.Word) storage.Books {
	patterns := make([]string, len(words))
	for i := range words {
		patterns[i] = words[i].Pattern
	}
	b.Ruled = union(b.Ruled, patterns, c.heed)
	b.Leave(words)
	if len(c.heed) > 0 {
		b.Amiss.Settled = nil
	}
	return b
}
