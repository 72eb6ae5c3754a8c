package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// coverage accounts for every known store, and for unknown ones.
func (r *run) coverage() error {
	if !r.h.Wants(streamCoverage) {
		return nil
	}
	set := files.OpenRows(r.h, streamCoverage)
	set.Reader(keysVersion)
	was := map[string]string{"sessions": "rollouts", "state_db": "threads"}
	for i := range stores {
		s := stores[i]
		if !r.has(&s) {
			if s.status = files.StatusMissing; !s.shared {
				s.reason = "the folder has none"
			}
		} else if problem := r.trouble(s.name); problem != "" {
			s.status, s.reason = files.StatusIncomplete, problem
		}
		if err := set.Row(files.Row{Store: s.name, Was: was[s.name], Stream: s.stream, Status: s.status, Reason: s.reason}); err != nil {
			return err
		}
	}
	rows := append(append(r.unknownTypes(), r.unknownFiles()...), r.unknownStores(), files.Row{Store: "rollout_events", Status: files.StatusExcluded,
		Reason: "event_msg and turn_context lines that repeat response items or tell how Codex runs, replaced histories of compactions, and thoughts that are encrypted"})
	for _, row := range rows {
		if err := set.Row(row); err != nil {
			return err
		}
	}
	return set.Close(false)
}

// has reports whether the folder has something of a store.
func (r *run) has(s *store) bool {
	return slices.ContainsFunc(s.paths, func(name string) bool { return r.present[name] }) || s.name == "state_db" && r.hasThreads()
}

// trouble describes the parts of a store that this run could not read.
func (r *run) trouble(name string) string {
	switch name {
	case "state_db":
		if r.threads.problem == threadsUnreadable {
			return "the database could not be read; sessions keep their earlier data"
		}
		if r.threads.problem == threadsDamaged {
			return "the database is damaged; sessions without a row there keep their earlier data, or wait"
		}
	case "rules":
		if n := int64(r.places.Count(leftOut)); n > 0 {
			return problems.Counted(n, leftOut.One, leftOut.Many)
		}
	case "sessions":
		if len(r.folders) == 0 {
			return ""
		}
		if n := int64(r.places.Count(unreadable) + r.places.Count(changed)); n > 0 || r.full {
			return problems.Counted(n, "file or folder could not be read", "files or folders could not be read")
		}
		if r.after.dropped > 0 {
			return "more rollouts than the cursor can remember"
		}
		bad, damaged := int64(0), int64(0)
		for _, s := range r.after.files {
			bad += s.malformed + s.oversized
			if s.brokenBy != "" {
				damaged++
			}
		}
		if damaged > 0 {
			return problems.Counted(damaged, broken.One, broken.Many)
		}
		if n := int64(r.places.Count(torn)); n > 0 {
			return problems.Counted(n, torn.One, torn.Many)
		}
		if bad > 0 {
			return problems.Counted(bad, "line is damaged, or too long", "lines are damaged, or too long")
		}
	}
	return ""
}

// unknownTypes names the types of events and of parts that this connector does not know; report names those of lines and
// items. Rows of types seen in earlier runs stay: their lines are not read again.
func (r *run) unknownTypes() (rows []files.Row) {
	for _, name := range cursor.Keys(r.roll.unknown) {
		what, kind, _ := strings.Cut(name, " ")
		rows = append(rows, files.Row{Store: "rollout_" + what + ":" + kind, Status: files.StatusUnaccounted,
			Reason: "rollouts contain " + what + "s of a type that this version does not know"})
	}
	return rows
}

// unknownFiles accounts for the files among the rollouts that are no rollouts, or none that
// this version reads.
func (r *run) unknownFiles() (rows []files.Row) {
	if n := r.fates[fateOld]; n > 0 {
		rows = append(rows, files.Row{Store: "old_rollouts", Status: files.StatusExcluded, Reason: problems.Counted(n, oldRollout.One, oldRollout.Many)})
	}
	if n := int64(r.places.Count(emptyRollout)); n > 0 {
		rows = append(rows, files.Row{Store: "empty_rollouts", Status: files.StatusExcluded, Reason: problems.Counted(n, emptyRollout.One, emptyRollout.Many)})
	}
	repeated := int64(0)
	for _, s := range r.after.files {
		repeated += s.repeated
	}
	if repeated > 0 {
		rows = append(rows, files.Row{Store: "forked_items", Status: files.StatusExcluded, Reason: problems.Counted(repeated,
			"item of a fork is its parent's, and collected there", "items of forks are their parents', and collected there")})
	}
	tables, n := r.threads.others()
	if n > 0 {
		rows = append(rows, files.Row{Store: "state_tables", Status: files.StatusDiagnostics, Reason: problems.Counted(n,
			"table beside the threads is Codex's own, and not collected", "tables beside the threads are Codex's own, and not collected")})
	}
	for _, name := range tables {
		rows = append(rows, files.Row{Store: "state_table:" + clip.Text(name, maxNamed), Status: files.StatusUnaccounted,
			Reason: "the database of threads has a table that this version does not know"})
	}
	if n := r.fates[fateUnknown]; n > 0 {
		rows = append(rows, files.Row{Store: "rollout_files", Status: files.StatusUnaccounted, Reason: problems.Counted(n, notUnderstood.One, notUnderstood.Many)})
	}
	return rows
}

// unknownStores notes the other entries of the folder, by name only.
func (r *run) unknownStores() files.Row {
	var names []string
	for _, name := range cursor.Keys(r.present) {
		known := slices.ContainsFunc(stores, func(s store) bool { return slices.Contains(s.paths, name) })
		if known || r.isThreads(name) || r.isThreads(strings.TrimSuffix(name, "-journal")) || strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") ||
			name == ".DS_Store" || name == ".git" || name == ".gitignore" {
			continue
		}
		names = append(names, clip.Text(name, 100))
	}
	switch {
	case len(names) == 0 && r.fates[fateUnknown] > 0:
		return files.Row{Store: "other", Status: files.StatusMissing, Reason: "everything outside the rollouts' folders is accounted for"}
	case len(names) == 0:
		return files.Row{Store: "other", Status: files.StatusMissing, Reason: "everything in the folder is accounted for"}
	}
	return files.Row{Store: "other", Status: files.StatusUnaccounted, Reason: problems.Counted(int64(len(names)), "more entry", "more entries") +
		" that this version does not know: " + strings.Join(names[:min(len(names), maxNamed)], ", ")}
}
