package evidence

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// unread reads which files of the connection's folders nothing explains (AC-03).
func (g Gatherer) unread(id string, f *stored.Facts) error {
	f.Unread = nil
	var rows []tables.BooksRow
	if err := g.db.NewSelect().Model(&rows).Where("connection_id = ? AND begun_ms > 0", id).Scan(g.ctx); err != nil || len(rows) == 0 {
		return err
	}
	b, _, err := rows[0].Read()
	if err != nil {
		return err
	}
	f.Unread = &stored.UnreadFiles{Count: int64(len(b.Unread)) + b.Beyond}
	f.Unread.Amiss = amissOf(b.Amiss.Files)
	for _, reason := range b.Amiss.Settled {
		f.Unread.Settled = append(f.Unread.Settled, health.Mark(reason))
	}
	if b.Nothing {
		var with []string // streams with records
		err := g.db.NewSelect().Table("streams").Column("name").Where("connection_id = ? AND removed = 0 AND live > 0", id).Scan(g.ctx, &with)
		if err != nil {
			return err
		}
		f.Unread.Nothing = !slices.ContainsFunc(with, f.Collects)
	}
	for i := range b.Unread[:min(len(b.Unread), stored.MostUnread)] {
		f.Unread.Names = append(f.Unread.Names, shown(b.Unread[i].Path))
	}
	return nil
}

// shown is a path as sentences have it: what no letter is could move a reader's cursor.
func shown(file string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, file)
}

// amissOf groups files by the reasons that their connector gave: a file of several is in one group.
func amissOf(files []tables.AmissFile) (list []stored.AmissFiles) {
	type named struct{ root, path string }
	marks := make(map[named][]string, len(files))
	for i := range files {
		f := named{files[i].Root, files[i].Path}
		marks[f] = append(marks[f], health.Mark(files[i].Reason))
	}
	for i := range files {
		f := &files[i]
		of := marks[named{f.Root, f.Path}]
		if of == nil {
			continue // it is in a group
		}
		delete(marks, named{f.Root, f.Path})
		slices.Sort(of)
		of = slices.Compact(of)
		at := slices.IndexFunc(list, func(a stored.AmissFiles) bool { return a.About == of[0] && slices.Equal(a.With, of[1:]) })
		switch {
		case at < 0 && len(list) < stored.MostAmiss:
			at = len(list)
			list = append(list, stored.AmissFiles{About: of[0], With: append([]string(nil), of[1:]...)})
		case at < 0:
			at = len(list) - 1
		}
		a := &list[at]
		if a.Count++; len(a.Names) < stored.MostUnread {
			a.Names = append(a.Names, shown(f.Path))
		}
	}
	return list
}
