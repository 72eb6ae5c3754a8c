package main

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// stateDB is the database that Codex keeps its list of threads in; the number is that of its form. Newer
// versions have it in the folder sqlite.
const stateDB = "state_5.sqlite"

// sqliteFolder is where newer versions of Codex keep their databases.
const sqliteFolder = "sqlite"

// maxDatabases bounds the databases that are looked into.
const maxDatabases = 16

// database is a file that may have the list of threads.
type database struct {
	name  string // below the home folder
	named bool   // it has the name of the list
}

// databasesIn lists the files that may have the list of threads, in the home folder and in sqlite. Those
// of other names are looked into. The logs never are: they may repeat credentials.
func databasesIn(home fs.FS) (list []database) {
	for _, folder := range [...]string{".", sqliteFolder} {
		entries, err := fs.ReadDir(home, folder)
		if err != nil {
			continue // without the folder, or told of where it is listed
		}
		for _, e := range entries {
			name := e.Name()
			end := path.Ext(name)
			switch {
			case e.IsDir() || strings.HasPrefix(name, "logs") || end != ".sqlite" && end != ".sqlite3" && end != ".db":
			case len(list) < maxDatabases:
				list = append(list, database{path.Join(folder, name), isStateDB(name)})
			}
		}
	}
	return list
}

// isStateDB reports whether a file has the name of the list of threads, of any form.
func isStateDB(name string) bool {
	form, ok := strings.CutPrefix(strings.TrimSuffix(name, ".sqlite"), "state_")
	return ok && strings.HasSuffix(name, ".sqlite") && form != "" && strings.Trim(form, "0123456789") == ""
}

// hasThreads reports whether the home folder has a list of threads. A run that collects no sessions opens
// none.
func (r *run) hasThreads() bool {
	return len(r.threads.bases) > 0 || slices.ContainsFunc(databasesIn(r.home), func(d database) bool { return d.named })
}

// isThreads reports whether an entry of the home folder is a list of threads.
func (r *run) isThreads(name string) bool {
	return isStateDB(name) || slices.ContainsFunc(r.threads.bases, func(b *base) bool { return b.name == name })
}

// accountThreads tells the host what became of each list of threads.
func (r *run) accountThreads() {
	for _, b := range r.threads.bases {
		switch {
		case b.problem == threadsDamaged:
			r.books.Damaged(rootHome, b.name, badThreads.Reason)
		case b.problem == threadsUnreadable:
			r.books.Known(rootHome, b.name, noThreads.Reason)
		case b.more > 0:
			r.books.Known(rootHome, b.name, manyThreads.Reason)
		default:
			r.books.Read(rootHome, b.name)
		}
	}
}

// besideThreads tells what the databases have that is not read, and what is wrong with them.
func (r *run) besideThreads() {
	items := r.books.Items(streamSessions)
	unknown, _ := r.threads.others()
	for _, name := range unknown {
		items.Unknown("table " + name)
	}
	for _, b := range r.threads.bases {
		if b.odd > 0 {
			items.UnknownTimes("thread without an id", b.odd)
		}
		switch b.problem {
		case threadsUnreadable:
			r.places.Note(noThreads, b.name, streamSessions)
		case threadsDamaged:
			r.places.Note(badThreads, b.name, streamSessions)
		}
		if b.more > 0 {
			r.places.Add(manyThreads, int(b.more), b.name, streamSessions)
		}
	}
}
