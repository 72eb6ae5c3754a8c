package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Statuses of a coverage row.
const (
	statusCollected   = "collected"
	statusAbsent      = "absent"
	statusUnsupported = "unsupported"
	statusIncomplete  = "incomplete"
)

// coverageRow accounts for one kind of thing that calendar files hold.
type coverageRow struct {
	store, stream, status, reason string
	count                         int64
	counted                       bool
}

// coverage emits the rows that differ from the cursor's.
func (r *run) coverage() error {
	old := r.h.Cursor(streamCoverage).Get("rows")
	cursor := append(jsonappend.Int(jsonappend.Name([]byte{'{'}, "v"), cursorVersion), `,"rows":{`...)
	for _, row := range r.coverageRows() {
		id := "coverage:" + row.store
		sum := fnvString(fnvString(fnvString(fnvOffset, row.stream), row.status), row.reason)
		sum = mix(sum+uint64(row.count)+formatSeed) & fingerprintMask
		cursor = jsonappend.Int(jsonappend.Name(cursor, id), int64(sum))
		if old.Get(id).Exists() && old.Get(id).Int() == int64(sum) {
			continue
		}
		rec := r.h.Record(streamCoverage)
		rec.String("id", id)
		rec.String("store", row.store)
		rec.StringOrNull("stream", row.stream)
		rec.String("status", row.status)
		rec.String("reason", row.reason)
		rec.IntOrNull("count", row.count, row.counted)
		if err := rec.Emit(); err != nil {
			return err
		}
	}
	return r.h.State(streamCoverage, append(cursor, "}}"...))
}

func (r *run) coverageRows() []coverageRow {
	var sum counts
	var live, reduced int64
	for _, s := range r.after {
		live += s.live
		sum.todos += s.counts.todos
		sum.journals += s.counts.journals
		sum.freeBusy += s.counts.freeBusy
		sum.malformed += s.counts.malformed
		sum.oversized += s.counts.oversized
		sum.noUID += s.counts.noUID
		if s.memory != memoryPrints {
			reduced++
		}
	}
	failed := int64(len(r.list.failed))
	for _, files := range r.problems {
		failed += int64(len(files))
	}
	unsupported := func(store, what string, n int64) coverageRow {
		if n == 0 {
			return coverageRow{store, "", statusAbsent, "the files hold no " + what, 0, true}
		}
		return coverageRow{store, "", statusUnsupported, what + " are counted, not collected", n, true}
	}
	files := coverageRow{"files", streamCalendars, statusCollected, "one calendar a file", int64(len(r.after)), true}
	if failed > 0 {
		files.status = statusIncomplete
		files.reason = strconv.FormatInt(failed, 10) + " files or folders could not be taken; what they held before stays"
	}
	events := coverageRow{"events", streamEvents, statusCollected, "events that are not cancelled", live, true}
	if reduced > 0 {
		events.reason += "; " + strconv.FormatInt(reduced, 10) + " files exceed the cursor, so removed events may stay"
		events.status = statusIncomplete
	}
	lines := coverageRow{"malformed_lines", streamEvents, statusCollected, "every line was understood", 0, true}
	if bad := sum.malformed + sum.oversized + sum.noUID; bad > 0 {
		lines = coverageRow{"malformed_lines", streamEvents, statusIncomplete,
			strconv.FormatInt(sum.malformed, 10) + " lines or dates are malformed, " + strconv.FormatInt(sum.oversized, 10) +
				" lines were cut, " + strconv.FormatInt(sum.noUID, 10) + " events have no UID", bad, true}
	}
	return []coverageRow{
		files, events, lines,
		unsupported("todos", "to-dos (VTODO)", sum.todos),
		unsupported("journals", "journal entries (VJOURNAL)", sum.journals),
		unsupported("free_busy", "free/busy times (VFREEBUSY)", sum.freeBusy),
		{store: "subscriptions", status: statusUnsupported, reason: "subscription URLs need the network; this connector reads files"},
	}
}
