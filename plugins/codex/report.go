package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// maxNamed is how many files one message names.
const maxNamed = 20

// The kinds of problems.
var (
	unreadable = kind("file_unreadable", "manual_action_required", "file or folder could not be read", "files or folders could not be read")
	linked     = kind("link_not_followed", "not_retriable", "link leads to a folder, out of the home folder, or nowhere, and was not followed; what was collected below its name stays",
		"links lead to folders, out of the home folder, or nowhere, and were not followed; what was collected below their names stays")
	changed = kind("file_changed_while_read", "retry_by_runtime", "rollout was rewritten while it was read",
		"rollouts were rewritten while they were read")
	noThreads = kind("threads_unreadable", "retry_by_runtime", "database could not be read: sessions keep the titles they have",
		"databases could not be read: sessions keep the titles they have")
	badThreads = kind("threads_damaged", "manual_action_required", "database is damaged: what can be read of it was joined; sessions without a row there wait for it, old ones with the titles they have; let Codex repair it, or put back a copy",
		"databases are damaged: what can be read of them was joined; sessions without a row there wait for them, old ones with the titles they have; let Codex repair them, or put back copies")
	manyThreads = kind("too_many_threads", "retry_on_connector_upgrade", "thread of the database is beyond what one run remembers, and its session has no title",
		"threads of the database are beyond what one run remembers, and their sessions have no titles")
	tooMany = kind("too_many_files", "manual_action_required", "folder has more files than one run reads",
		"folders have more files than one run reads")
	nothing = kind("nothing_found", "not_retriable", "folder has nothing that this connector collects", "")
	// Lines are read once, and stay missing: every run reports those of earlier ones.
	malformed = kind("malformed_lines", "not_retriable", "line of a rollout is damaged; what is whole in it was collected",
		"lines of rollouts are damaged; what is whole in them was collected")
	begun = kind("line_incomplete", "not_retriable", "last line of a rollout has no end yet, and is read once its writer has ended it",
		"last lines of rollouts have no end yet, and are read once their writers have ended them")
	torn = kind("line_cut", "manual_action_required", "rollout ends within a line, and nothing writes there: copy it anew; the line is read once it is whole",
		"rollouts end within a line, and nothing writes there: copy them anew; the lines are read once they are whole")
	tooLong = kind("line_too_long", "retry_on_connector_upgrade", "line of a rollout is"+lineLimit, "lines of rollouts are"+lineLimit)
	broken  = kind("rollout_damaged", "manual_action_required", "compressed rollout is damaged: copy it anew; what is in front of the damage was collected",
		"compressed rollouts are damaged: copy them anew; what is in front of the damage was collected")
	guessed = kind("encoding_guessed", "not_retriable", "text is not UTF-8 and was read as Windows-1252: if its letters are wrong, save it as UTF-8",
		"texts are not UTF-8 and were read as Windows-1252: if their letters are wrong, save them as UTF-8")
	lostText = kind("document_lost", "manual_action_required", "file has lost its text: it has zeros, is empty where it had a text, or is a web page; what was collected of it stays; put back a copy, or remove it",
		"files have lost their texts: they have zeros, are empty where they had texts, or are web pages; what was collected of them stays; put back copies, or remove them")
	longRule = kind("rule_cut", "not_retriable", "rule is longer than a record may be; its beginning was collected",
		"rules are longer than a record may be; their beginning was collected")
	leftOut = kind("rules_left_out", "manual_action_required", "rule is beyond the "+strconv.Itoa(maxRules)+" that are collected: take files that are no rules out of the folder",
		"rules are beyond the "+strconv.Itoa(maxRules)+" that are collected: take files that are no rules out of the folder")
	tooDeep = kind("folder_too_deep", "manual_action_required", "folder of skills is deeper than what is looked into: move the skills in it up",
		"folders of skills are deeper than what is looked into: move the skills in them up")
	emptyRollout = kind("rollout_empty", "not_retriable", "rollout is empty: if a session was in it, put back a copy",
		"rollouts are empty: if sessions were in them, put back copies")
	oldRollout = kind("rollout_of_old_version", "retry_on_connector_upgrade", "rollout is of the first Codex, written in TypeScript, which wrote another format until mid-2025",
		"rollouts are of the first Codex, written in TypeScript, which wrote another format until mid-2025")
	copied = kind("rollout_copied", "not_retriable", "rollout is a copy of another one of its session: what both have was collected once",
		"rollouts are copies of others of their sessions: what both have was collected once")
	rewritten = kind("rollout_rewritten", "manual_action_required", "rollout has other lines than when it was read, and its records came in the place of theirs: if you have the earlier one, put it into another folder of sessions",
		"rollouts have other lines than when they were read, and their records came in the place of theirs: if you have the earlier ones, put them into another folder of sessions")
	notUnderstood = &problems.Kind{HostTells: true, One: "file among the rollouts was not understood", Many: "files among the rollouts were not understood"}
	unknownType   = kind("entry_not_known", "retry_on_connector_upgrade", "type of entries in a session is not known to this version, which collected none of them",
		"types of entries in sessions are not known to this version, which collected none of them")
	reduced = kind("cursor_reduced", "not_retriable", "rollout does not fit the cursor and is read anew in every run",
		"rollouts do not fit the cursor and are read anew in every run")

	kinds     = []*problems.Kind{unreadable, linked, changed, noThreads, badThreads, manyThreads, tooMany, nothing, malformed, begun, torn, tooLong, broken, emptyRollout, guessed, lostText, longRule, leftOut, tooDeep, oldRollout, copied, rewritten, notUnderstood, unknownType, reduced}
	lineLimit = " longer than " + strconv.Itoa(maxLineBytes>>20) + " MiB"
)

func kind(reason, hint, one, many string) *problems.Kind {
	return &problems.Kind{Reason: reason, Hint: hint, One: one, Many: many, Examples: "files", First: maxNamed}
}

// problem notes a place that could not be collected, for each stream of it.
func (r *run) problem(kind *problems.Kind, at string) { r.places.Note(kind, at, streamsOf(at)...) }

// report reports everything that was not collected to the host.
func (r *run) report() error {
	if r.nothingFound() {
		r.places.Add(nothing, 1, "", "")
		for _, name := range cursor.Keys(r.present) {
			r.places.Add(nothing, 0, name, "")
		}
	}
	for _, p := range cursor.Keys(r.after.files) {
		s := r.after.files[p]
		if s.malformed > 0 {
			r.places.Add(malformed, int(s.malformed), "", "")
			if len(s.malformedAt) == 0 {
				r.places.Add(malformed, 0, p, "")
			}
			for _, line := range s.malformedAt {
				r.places.Add(malformed, 0, problems.Line(p, line), "")
			}
		}
		if !s.strange { // the host tells of a file that is not understood
			for _, name := range s.unknown {
				r.places.Add(unknownType, 1, p+", "+name, "")
			}
		}
		if s.oversized > 0 {
			r.places.Add(tooLong, int(s.oversized), p, "")
		}
		if s.brokenBy != "" {
			r.noteBroken(p, s.brokenBy, s.broken)
		}
	}
	r.places.Add(reduced, r.after.dropped, "", "")
	return r.places.Report()
}

// streamsOf returns the streams of a place below the home folder; "" when they are
// unknown.
func streamsOf(at string) []string {
	top, _, _ := strings.Cut(at, "/")
	switch top {
	case "sessions", "archived_sessions":
		return []string{streamCalls, streamMessages, streamSessions}
	}
	for i := range stores {
		if s := &stores[i]; s.stream != "" && slices.Contains(s.paths, top) {
			return []string{s.stream}
		}
	}
	return []string{""}
}

// nothingFound reports whether the home folder has no store that is collected: it is then
// probably the wrong folder, or has what is listed without its content alone.
func (r *run) nothingFound() bool {
	_, elsewhere := r.h.Root("sessions")
	return !elsewhere && !slices.ContainsFunc(stores, func(s store) bool { return s.status == files.StatusCollected && r.has(&s) })
}
