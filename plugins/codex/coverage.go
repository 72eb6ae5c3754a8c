package main

import (
	"io/fs"
	"slices"
	"strings"
)

// coverage accounts for every known store, and for unknown ones.
func (r *run) coverage() error {
	if !r.h.Wants(streamCoverage) {
		return nil
	}
	entries, err := fs.ReadDir(r.home, ".")
	if err != nil {
		r.problem(problemUnreadable, ".")
		return nil //nolint:nilerr // the problem is reported; the streams are complete without it
	}
	present := map[string]bool{}
	for _, e := range entries {
		present[e.Name()] = true
	}
	set := newItems(r.h, streamCoverage)
	for i := range stores {
		s := stores[i]
		there := false
		for _, name := range s.paths {
			there = there || present[name]
			delete(present, name)
		}
		if !there {
			s.status, s.reason = statusMissing, "the folder has none"
		} else if problem := r.trouble(s.name); problem != "" {
			s.status, s.reason = statusIncomplete, problem
		}
		if err := r.row(set, s.name, s.stream, s.status, s.reason); err != nil {
			return err
		}
	}
	if err := r.row(set, "rollout_events", "", statusExcluded,
		"event_msg, turn_context, compacted and reasoning lines repeat response items or are encrypted"); err != nil {
		return err
	}
	if err := r.unknownTypes(set); err != nil {
		return err
	}
	if err := r.unknownStores(set, present); err != nil {
		return err
	}
	return set.finish(false)
}

// trouble describes the parts of a store that this run could not read.
func (r *run) trouble(name string) string {
	switch name {
	case "threads":
		if r.threads.problem == threadsUnreadable {
			return "the database could not be read; sessions keep their earlier data"
		}
	case "rollouts":
		if r.list == nil {
			return ""
		}
		n := len(r.list.failed) + len(r.problems[problemUnreadable]) + len(r.problems[problemChanged])
		if n > 0 || r.list.tooMany {
			return counted(int64(n), "file or folder could not be read", "files or folders could not be read")
		}
		if r.dropped > 0 {
			return "more rollouts than the cursor can remember"
		}
		bad, _ := r.missing(func(s *rolloutState) int64 { return s.malformed + s.oversized })
		if bad > 0 {
			return counted(bad, "line is not JSON, or too long", "lines are not JSON, or too long")
		}
	}
	return ""
}

// unknownTypes names the types of lines that this connector does not know. Rows
// of types seen in earlier runs stay: their lines are not read again.
func (r *run) unknownTypes(set *items) error {
	for _, name := range sortedKeys(r.roll.tally.unknown) {
		what, kind, _ := strings.Cut(name, " ")
		err := r.row(set, "rollout_"+what+":"+kind, "", statusUnaccounted, "rollouts contain "+what+"s of a type that this version does not know")
		if err != nil {
			return err
		}
	}
	return nil
}

// unknownStores notes the other entries of the folder, by name only.
func (r *run) unknownStores(set *items, present map[string]bool) error {
	var names []string
	for name := range present {
		if name == stateDB+"-wal" || name == stateDB+"-shm" || name == stateDB+"-journal" ||
			strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") || name == ".DS_Store" || name == ".git" || name == ".gitignore" {
			continue
		}
		names = append(names, clipped(name, 100))
	}
	if len(names) == 0 {
		return r.row(set, "other", "", statusMissing, "everything in the folder is accounted for")
	}
	slices.Sort(names)
	reason := counted(int64(len(names)), "more entry", "more entries") + " that this version does not know: " + strings.Join(names[:min(len(names), maxNamed)], ", ")
	return r.row(set, "other", "", statusUnaccounted, reason)
}

func (r *run) row(set *items, name, stream, status, reason string) error {
	id := "coverage:" + name
	if !set.changed(id, formatSeed.add(stream).add(status).add(reason).sum()) {
		return nil
	}
	rec := r.h.Record(streamCoverage)
	rec.String("id", id)
	rec.String("store", name)
	rec.StringOrNull("stream", stream)
	rec.String("status", status)
	rec.String("reason", reason)
	return rec.Emit()
}
