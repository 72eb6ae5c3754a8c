package main

import (
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// More reasons of SKIP_RESULT.
const (
	problemForgotten = "removed_events_unknown"
	problemReduced   = "cursor_reduced"
	problemTooMany   = "too_many_files"
)

// maxNamed is how many files one message names.
const maxNamed = 20

// problemTexts says what each problem means and what can be done.
var problemTexts = []struct{ problem, message, hint string }{
	{problemTorn, "calendar files that end early, or do not close what they open; their earlier events stay", "retry_by_runtime"},
	{problemNotICal, "files with a calendar's name that hold no calendar", "manual_action_required"},
	{problemUnreadable, "calendar files or folders that could not be read; their earlier events stay", "manual_action_required"},
	{problemChanged, "calendar files that were written while they were read", "retry_by_runtime"},
	{problemForgotten, "removed calendar files with more events than the cursor could remember: these events stay", "not_retriable"},
}

// report tells the host what was not collected.
func (r *run) report() error {
	r.problems[problemUnreadable] = append(r.problems[problemUnreadable], r.list.failed...)
	for _, t := range problemTexts {
		files := r.problems[t.problem]
		if len(files) == 0 {
			continue
		}
		slices.Sort(files)
		d := jsonappend.Int(jsonappend.Name([]byte{'{'}, "count"), int64(len(files)))
		d = append(jsonappend.Strings(jsonappend.Name(d, "files"), files[:min(len(files), maxNamed)]), '}')
		if err := r.skip(t.problem, strconv.Itoa(len(files))+" "+t.message, t.hint, d); err != nil {
			return err
		}
	}
	if r.list.tooMany {
		err := r.skip(problemTooMany, "only the first "+strconv.Itoa(maxFiles)+" calendar files are read", "manual_action_required", nil)
		if err != nil {
			return err
		}
	}
	if r.printsLost+r.idsLost > 0 {
		return r.skip(problemReduced, "more events than a cursor can remember: when one of "+strconv.Itoa(r.printsLost)+
			" files changes, all its events are sent again; events removed from "+strconv.Itoa(r.idsLost)+" files are not noticed",
			"not_retriable", nil)
	}
	return nil
}

func (r *run) skip(reason, message, hint string, diagnostics []byte) error {
	return r.h.Skip(abi.SkipResult{
		Stream: streamEvents, Reason: reason, Message: message,
		RecoveryHint: jsonappend.String(nil, hint), Diagnostics: diagnostics,
	})
}
