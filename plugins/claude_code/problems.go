package main

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// problem is a reason why something was not collected, and how coverage_diagnostics accounts
// for it. None of them stops the collection of the rest.
type problem struct {
	problems.Kind

	store, status string
}

func newProblem(reason, hint, store, status, one, many string) *problem {
	return &problem{problems.Kind{Reason: reason, Hint: hint, One: one, Many: many, Examples: "examples", First: 5}, store, status}
}

// The problems.
var (
	invalidLines = newProblem("lines_not_readable", "not_retriable", "invalid_lines", files.StatusUnsupported,
		"line is damaged; what is whole in it was collected", "lines are damaged; what is whole in them was collected")
	longLines = newProblem("line_too_long", "retry_on_connector_upgrade", "long_lines", files.StatusUnsupported,
		"line is longer than 16 MiB", "lines are longer than 16 MiB")
	unknownTypes = newProblem("line_type_not_known", "retry_on_connector_upgrade", "", "", // lineRows names them
		"type of lines in a transcript is not known to this version, which collected none of them",
		"types of lines in transcripts are not known to this version, which collected none of them")
	tornLines = newProblem("line_incomplete", "not_retriable", "incomplete_lines", files.StatusDeferred,
		"last line has no end yet, and is read once its writer has ended it", "last lines have no end yet, and are read once their writers have ended them")
	cutLines = newProblem("line_cut", "manual_action_required", "cut_lines", files.StatusUnaccounted,
		"transcript ends within a line, and nothing writes there: copy it anew; the line is read once it is whole",
		"transcripts end within a line, and nothing writes there: copy them anew; the lines are read once they are whole")
	emptyFiles = newProblem("transcript_empty", "not_retriable", "empty_transcripts", files.StatusExcluded,
		"transcript is empty: if a session was in it, put back a copy", "transcripts are empty: if sessions were in them, put back copies")
	unreadable = newProblem("file_unreadable", "manual_action_required", "unreadable_files", files.StatusUnaccounted,
		"file or folder could not be read", "files or folders could not be read")
	changing = newProblem("file_changed_while_read", "retry_by_runtime", "changing_files", files.StatusDeferred,
		"file changed while it was read", "files changed while they were read")
	linkNotFollowed = newProblem("link_not_followed", "not_retriable", "links", files.StatusExcluded, // its target is outside the folder
		"link leads outside the folder, to a folder, or nowhere", "links lead outside the folder, to a folder, or nowhere")
	truncated = newProblem("content_truncated", "not_retriable", "truncated_files", files.StatusUnsupported,
		"file is longer than a record may be; its beginning was collected", "files are longer than a record may be; their beginning was collected")
	guessed = newProblem("encoding_guessed", "not_retriable", "guessed_encodings", files.StatusCollected,
		"text is not UTF-8 and was read as Windows-1252: if its letters are wrong, save it as UTF-8",
		"texts are not UTF-8 and were read as Windows-1252: if their letters are wrong, save them as UTF-8")
	lostText = newProblem("document_lost", "manual_action_required", "lost_documents", files.StatusUnaccounted,
		"file has lost its text: it has zeros, or is empty where it had a text; what was collected of it stays; put back a copy, or remove it",
		"files have lost their texts: they have zeros, or are empty where they had texts; what was collected of them stays; put back copies, or remove them")
	tooDeep = newProblem("folder_too_deep", "manual_action_required", "deep_folders", files.StatusUnaccounted,
		"folder is deeper than what is looked into: move what is in it up", "folders are deeper than what is looked into: move what is in them up")
	tooMany = newProblem("inventory_truncated", "retry_on_connector_upgrade", "large_folders", files.StatusUnaccounted,
		"folder has more entries than are listed", "folders have more entries than are listed")
	notUnderstood = &problem{problems.Kind{
		HostTells: true, One: "entry among the transcripts was not understood", Many: "entries among the transcripts were not understood",
	}, "project_files", files.StatusUnaccounted}
	nothing = newProblem("nothing_found", "not_retriable", "", "", // a row for each store reports it
		"folder has nothing that this connector collects", "")

	allProblems = []*problem{
		invalidLines, longLines, unknownTypes, tornLines, cutLines, emptyFiles, unreadable, changing, linkNotFollowed, truncated, guessed, lostText, tooDeep, tooMany, notUnderstood, nothing,
	}
)

func kinds() (list []*problems.Kind) {
	for _, p := range allProblems {
		list = append(list, &p.Kind)
	}
	return list
}

// note counts one case. at is a path below the home folder, never content.
func (c *collection) note(p *problem, at string) { c.problems.Note(&p.Kind, at, lacking(p, at)...) }

// lacking returns the streams that a problem at a place leaves incomplete, "" when the streams
// are unknown, or none is: a later run of this version could not mend it.
func lacking(p *problem, at string) []string {
	switch p {
	case tornLines, cutLines, changing:
		return []string{"messages"}
	case unreadable, lostText:
		return streamsOf(at)
	}
	return []string{""}
}

// streamsOf returns the streams of a place below the home folder.
func streamsOf(at string) []string {
	top, rest, _ := strings.Cut(at, "/")
	switch {
	case top != rootProjects:
		for i := range stores {
			if s := &stores[i]; s.stream != "" && slices.Contains(s.entries, top) {
				return []string{s.stream}
			}
		}
		return []string{""}
	case strings.HasSuffix(at, transcriptSuffix), strings.Contains(rest, "/subagents"):
		return []string{"sessions", "messages", "attachments"}
	case strings.Contains(rest, "/memory"):
		return []string{"memory_notes"}
	case strings.Contains(rest, "/tool-results"):
		return []string{"attachments"}
	}
	return []string{"sessions", "messages", "attachments", "memory_notes"}
}

// unreadable notes a file that could not be read, unless it was merely deleted.
func (c *collection) unreadable(at string, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		c.note(unreadable, at)
	}
}
