package main

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Reasons of SKIP_RESULT.
const (
	problemUnreadable = "file_unreadable"
	problemChanged    = "file_changed_while_read"
	problemThreads    = "threads_unreadable"
	problemTooMany    = "too_many_files"
	problemMalformed  = "malformed_lines"
	problemOversized  = "line_too_long"
	problemReduced    = "cursor_reduced"
	problemNothing    = "nothing_found"
)

// maxNamed is how many files one message names.
const maxNamed = 20

func (r *run) problem(reason, file string) {
	r.problems[reason] = append(r.problems[reason], file)
}

// report reports everything that was not collected to the host.
func (r *run) report() error {
	if r.list != nil {
		r.problems[problemUnreadable] = append(r.problems[problemUnreadable], r.list.failed...)
		if r.list.tooMany {
			r.problem(problemTooMany, "sessions")
		}
	}
	for _, t := range [...]struct{ reason, one, many, hint string }{
		{problemUnreadable, "file or folder could not be read", "files or folders could not be read", "manual_action_required"},
		{problemChanged, "rollout was rewritten while it was read", "rollouts were rewritten while they were read", "retry_by_runtime"},
		{problemThreads, "database could not be read: sessions keep the titles they have",
			"databases could not be read: sessions keep the titles they have", "retry_by_runtime"},
		{problemTooMany, "folder has more files than one run reads", "folders have more files than one run reads",
			"manual_action_required"},
	} {
		if err := r.missingIn(t.reason, t.one, t.many, t.hint, r.problems[t.reason]); err != nil {
			return err
		}
	}
	if r.nothingFound() {
		if err := r.skip("", problemNothing, 1, "folder has nothing that this connector collects", "", "not_retriable", []string{"."}); err != nil {
			return err
		}
	}
	if err := r.reportLines(); err != nil {
		return err
	}
	return r.skip("", problemReduced, int64(r.dropped), "rollout does not fit the cursor and is read anew in every run",
		"rollouts do not fit the cursor and are read anew in every run", "not_retriable", nil)
}

// reportLines reports the missing lines, including those of earlier runs: a line is
// read once, and stays missing.
func (r *run) reportLines() error {
	malformed, inFiles := r.missing(func(s *rolloutState) int64 { return s.malformed })
	if err := r.skip("", problemMalformed, malformed, "line of a rollout is not JSON", "lines of rollouts are not JSON", "not_retriable", inFiles); err != nil {
		return err
	}
	limit := " longer than " + strconv.Itoa(maxLineBytes>>20) + " MiB"
	oversized, inFiles := r.missing(func(s *rolloutState) int64 { return s.oversized })
	return r.skip("", problemOversized, oversized, "line of a rollout is"+limit, "lines of rollouts are"+limit, "retry_on_connector_upgrade", inFiles)
}

// missing sums up count over the rollouts, and names those with a count.
func (r *run) missing(count func(*rolloutState) int64) (n int64, files []string) {
	if r.after == nil {
		return 0, nil
	}
	for p, s := range r.after.files {
		if c := count(s); c > 0 {
			n += c
			files = append(files, p)
		}
	}
	return n, files
}

// missingIn reports the missing parts of files, once for each stream of the run that is
// incomplete without them.
func (r *run) missingIn(reason, one, many, hint string, files []string) error {
	by := map[string][]string{}
	for _, f := range files {
		for _, stream := range streamsOf(f) {
			by[stream] = append(by[stream], f)
		}
	}
	for _, stream := range sortedKeys(by) {
		if stream != "" && !r.h.Wants(stream) {
			continue
		}
		if err := r.skip(stream, reason, int64(len(by[stream])), one, many, hint, by[stream]); err != nil {
			return err
		}
	}
	return nil
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

// nothingFound reports whether the home folder has no store of any stream: it is then
// probably the wrong folder.
func (r *run) nothingFound() bool {
	if _, elsewhere := r.h.Root("sessions"); elsewhere {
		return false
	}
	for i := range stores {
		for _, name := range stores[i].paths {
			if _, err := fs.Stat(r.home, name); stores[i].stream != "" && !isNotExist(err) {
				return false
			}
		}
	}
	return true
}

func (r *run) skip(stream, reason string, count int64, one, many, hint string, files []string) error {
	if count == 0 {
		return nil
	}
	d := jsonappend.Int([]byte(`{"count":`), count)
	if len(files) > 0 {
		slices.Sort(files)
		d = jsonappend.Strings(jsonappend.Name(d, "files"), files[:min(len(files), maxNamed)])
	}
	return r.h.Skip(abi.SkipResult{
		Stream: stream, Reason: reason, Message: counted(count, one, many),
		RecoveryHint: jsonappend.String(nil, hint), Diagnostics: append(d, '}'),
	})
}
