package main

import (
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Reasons of SKIP_RESULT.
const (
	problemUnreadable = "file_unreadable"
	problemChanged    = "file_changed_while_read"
	problemThreads    = "threads_unreadable"
	problemTooMany    = "too_many_files"
	problemDeferred   = "active_rollout_deferred"
	problemMalformed  = "malformed_lines"
	problemOversized  = "line_too_long"
	problemReduced    = "cursor_reduced"
)

// maxNamed is how many files one message names.
const maxNamed = 20

func (r *run) problem(reason, file string) {
	r.problems[reason] = append(r.problems[reason], file)
}

// report tells the host what was not collected.
func (r *run) report() error {
	if r.list != nil {
		r.problems[problemUnreadable] = append(r.problems[problemUnreadable], r.list.failed...)
		if r.list.tooMany {
			r.problem(problemTooMany, "sessions")
		}
	}
	for _, t := range [...]struct{ reason, text, hint string }{
		{problemUnreadable, " files or folders could not be read", "manual_action_required"},
		{problemChanged, " rollouts were rewritten while they were read", "retry_by_runtime"},
		{problemThreads, " database could not be read: sessions keep the titles they have", "retry_by_runtime"},
		{problemTooMany, " folder holds more files than are read in one run", "manual_action_required"},
	} {
		files := r.problems[t.reason]
		if err := r.skip(t.reason, int64(len(files)), t.text, t.hint, files); err != nil {
			return err
		}
	}
	if err := r.skip(problemDeferred, int64(len(r.deferred)), " sessions are being written to; they are collected when they rest",
		"retry_by_runtime", r.deferred); err != nil {
		return err
	}
	t := &r.roll.tally
	if err := r.skip(problemMalformed, t.malformed, " lines of rollouts are not JSON", "not_retriable", nil); err != nil {
		return err
	}
	if err := r.skip(problemOversized, t.oversized, " lines of rollouts are longer than "+strconv.Itoa(maxLineBytes)+" bytes",
		"retry_on_connector_upgrade", nil); err != nil {
		return err
	}
	return r.skip(problemReduced, int64(r.dropped), " rollouts do not fit the cursor and are read anew in every run", "not_retriable", nil)
}

func (r *run) skip(reason string, count int64, text, hint string, files []string) error {
	stream := ""
	for _, s := range [...]string{streamSessions, streamMessages, streamCalls} {
		if r.h.Wants(s) && stream == "" {
			stream = s
		}
	}
	if count == 0 {
		return nil
	}
	d := jsonappend.Int([]byte(`{"count":`), count)
	if len(files) > 0 {
		slices.Sort(files)
		d = jsonappend.Strings(jsonappend.Name(d, "files"), files[:min(len(files), maxNamed)])
	}
	return r.h.Skip(abi.SkipResult{
		Stream: stream, Reason: reason, Message: strconv.FormatInt(count, 10) + text,
		RecoveryHint: jsonappend.String(nil, hint), Diagnostics: append(d, '}'),
	})
}
