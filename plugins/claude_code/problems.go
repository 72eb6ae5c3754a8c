package main

import (
	"errors"
	"io/fs"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// problem is a reason why something was not collected. None of them keeps the
// rest from being collected.
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
	problemCount
)

// problemTexts holds, for each problem, its reason (a key of the manifest's
// reason_display_messages), what it counts, the recovery action, and how
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
		"link_not_followed", "link leads out of the folder, to a folder, or nowhere", "links lead out of the folder, to a folder, or nowhere",
		"manual_action_required", "links", statusExcluded,
	},
	problemCut: {
		"content_truncated", "file is longer than a record may be; its beginning was collected",
		"files are longer than a record may be; their beginning was collected",
		"not_retriable", "truncated_files", statusUnsupported,
	},
	problemTooMany: {
		"inventory_truncated", "folder holds more than is listed", "folders hold more than is listed",
		"retry_on_connector_upgrade", "large_folders", statusUnaccounted,
	},
	problemUnknown: {
		"unknown_store", "entry of the home folder is not known to this connector", "entries of the home folder are not known to this connector",
		"retry_on_connector_upgrade", "unknown_entries", statusUnaccounted,
	},
}

// maxExamples is how many places of one problem are named. The rest is counted.
const maxExamples = 5

// problems counts what went wrong in this run.
type problems [problemCount]struct {
	count    int64
	examples []string
}

// note counts one occurrence. at is a path below the home folder, never content.
func (p *problems) note(kind problem, at string) {
	e := &p[kind]
	e.count++
	if len(e.examples) < maxExamples {
		e.examples = append(e.examples, at)
	}
}

// unreadable notes a file that could not be read, unless it is merely gone.
func (c *collection) unreadable(at string, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		c.problems.note(problemUnreadable, at)
	}
}

// report tells the host: one SKIP_RESULT for each kind, however many there are.
func (p *problems) report(h *sdk.Host) error {
	for kind, e := range p {
		if e.count == 0 {
			continue
		}
		t := problemTexts[kind]
		b := jsonappend.Int(jsonappend.Name([]byte{'{'}, "count"), e.count)
		b = append(jsonappend.Strings(jsonappend.Name(b, "examples"), e.examples), '}')
		err := h.Skip(abi.SkipResult{
			Reason: t.reason, Message: counted(e.count, t.one, t.many),
			RecoveryHint: abi.Raw(`"` + t.action + `"`), Diagnostics: b,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
