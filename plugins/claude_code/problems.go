package main

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// problem is a reason why something was not collected. None of them stops the
// collection of the rest.
type problem uint8

const (
	problemInvalid problem = iota
	problemTooLong
	problemTorn
	problemUnreadable
	problemChanged
	problemLink
	problemCut
	problemTooMany
	problemUnknown
	problemNothing
	problemCount
)

// problemTexts has, for each problem, its reason (a key of the manifest's
// reason_display_messages), the noun that it counts, the recovery action, and how
// coverage_diagnostics accounts for it.
var problemTexts = [problemCount]struct{ reason, one, many, action, store, status string }{
	problemInvalid: {
		"lines_not_readable", "line is not valid JSON", "lines are not valid JSON",
		"not_retriable", "invalid_lines", statusUnsupported,
	},
	problemTooLong: {
		"line_too_long", "line is longer than 16 MiB", "lines are longer than 16 MiB",
		"retry_on_connector_upgrade", "long_lines", statusUnsupported,
	},
	problemTorn: {
		"line_incomplete", "last line is incomplete", "last lines are incomplete",
		"retry_by_runtime", "incomplete_lines", statusDeferred,
	},
	problemUnreadable: {
		"file_unreadable", "file or folder could not be read", "files or folders could not be read",
		"manual_action_required", "unreadable_files", statusUnaccounted,
	},
	problemChanged: {
		"file_changed_while_read", "file changed while it was read", "files changed while they were read",
		"retry_by_runtime", "changing_files", statusDeferred,
	},
	problemLink: {
		"link_not_followed", "link leads outside the folder, to a folder, or nowhere", "links lead outside the folder, to a folder, or nowhere",
		"not_retriable", "links", statusExcluded, // its target is outside the folder
	},
	problemCut: {
		"content_truncated", "file is longer than a record may be; its beginning was collected",
		"files are longer than a record may be; their beginning was collected",
		"not_retriable", "truncated_files", statusUnsupported,
	},
	problemTooMany: {
		"inventory_truncated", "folder has more entries than are listed", "folders have more entries than are listed",
		"retry_on_connector_upgrade", "large_folders", statusUnaccounted,
	},
	problemUnknown: {
		"unknown_store", "entry of the home folder is not known to this connector", "entries of the home folder are not known to this connector",
		"retry_on_connector_upgrade", "unknown_entries", statusUnaccounted,
	},
	problemNothing: {
		"nothing_found", "folder has nothing that this connector collects", "folders have nothing that this connector collects",
		"not_retriable", "", "", // a row for each store reports it
	},
}

// maxExamples is how many places of one problem are named. The rest is counted.
const maxExamples = 5

// tally counts one problem, and names the first places.
type tally struct {
	count    int64
	examples []string
}

func (t *tally) add(at string) {
	t.count++
	if len(t.examples) < maxExamples {
		t.examples = append(t.examples, at)
	}
}

// problems counts the problems of this run: all of them, and by stream those that leave
// the stream incomplete.
type problems [problemCount]struct {
	tally

	streams map[string]*tally
}

// note counts one occurrence. at is a path below the home folder, never content.
func (p *problems) note(kind problem, at string) {
	e := &p[kind]
	e.add(at)
	streams, known := incomplete(kind, at)
	if !known {
		return
	}
	if e.streams == nil {
		e.streams = map[string]*tally{}
	}
	for _, stream := range streams {
		if e.streams[stream] == nil {
			e.streams[stream] = &tally{}
		}
		e.streams[stream].add(at)
	}
}

// incomplete returns the streams that a problem at a place leaves incomplete, "" when
// the streams are unknown. A problem that a later run of this version could not mend
// leaves none incomplete.
func incomplete(kind problem, at string) (streams []string, known bool) {
	switch kind {
	case problemTorn, problemChanged:
		return []string{"messages"}, true
	case problemUnreadable:
		return streamsOf(at), true
	}
	return nil, false
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
		c.problems.note(problemUnreadable, at)
	}
}

// report reports the problems to the host: one SKIP_RESULT for each kind, however many
// there are, and one for each stream that it leaves incomplete. Streams outside the
// scope are left out.
func (p *problems) report(h *sdk.Host) error {
	for kind := range p {
		e := &p[kind]
		if e.count == 0 {
			continue
		}
		if e.streams == nil {
			if err := e.skip(h, problem(kind), ""); err != nil {
				return err
			}
		}
		for _, stream := range sortedKeys(e.streams) {
			if stream != "" && !h.Wants(stream) {
				continue
			}
			if err := e.streams[stream].skip(h, problem(kind), stream); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tally) skip(h *sdk.Host, kind problem, stream string) error {
	text := problemTexts[kind]
	b := jsonappend.Int(jsonappend.Name([]byte{'{'}, "count"), t.count)
	b = append(jsonappend.Strings(jsonappend.Name(b, "examples"), t.examples), '}')
	return h.Skip(abi.SkipResult{
		Stream: stream, Reason: text.reason, Message: counted(t.count, text.one, text.many),
		RecoveryHint: abi.Raw(`"` + text.action + `"`), Diagnostics: b,
	})
}

// counted returns a number with its noun and verb: "1 line is", "2 lines are".
func counted(n int64, one, many string) string {
	if n == 1 {
		many = one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
