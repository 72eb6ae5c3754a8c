package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Statuses of a coverage row.
const (
	statusCollected   = "collected"
	statusAbsent      = "absent"
	statusUnsupported = "unsupported"
	statusIncomplete  = "incomplete"
)

// coverageRow accounts for one kind of entry in calendar files.
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
		sum := sumLine(sumLine(sumLine(fingerprint.Start, row.stream), row.status), row.reason)
		sum = fingerprint.Mix(sum+uint64(row.count)+formatSeed) & printMask
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
		sum.badDates += s.counts.badDates
		sum.unknownZone += s.counts.unknownZone
		sum.floating += s.counts.floating
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
		files.reason = counted(failed, "file or folder could not be collected; its earlier records stay",
			"files or folders could not be collected; their earlier records stay")
	}
	events := coverageRow{"events", streamEvents, statusCollected, "events that are not cancelled", live, true}
	if reduced > 0 {
		events.reason += "; " + counted(reduced, "file exceeds", "files exceed") + " the cursor, so removed events may stay"
		events.status = statusIncomplete
	}
	trouble := func(store, none string, n int64, some string) coverageRow {
		if n == 0 {
			return coverageRow{store, streamEvents, statusCollected, none, 0, true}
		}
		return coverageRow{store, streamEvents, statusIncomplete, some, n, true}
	}
	floating := coverageRow{"floating_times", streamEvents, statusAbsent, "no event starts at a time without a zone", 0, true}
	if sum.floating > 0 {
		floating.status, floating.count = statusCollected, sum.floating
		floating.reason = counted(sum.floating, "event starts", "events start") + " at a time without a zone: starts_at is the local time read as UTC"
	}
	return []coverageRow{
		files, events,
		trouble("malformed_lines", "every line was understood", sum.malformed+sum.oversized,
			counted(sum.malformed, "line is", "lines are")+" malformed, "+counted(sum.oversized, "line was", "lines were")+" cut"),
		trouble("malformed_dates", "every date was understood", sum.badDates,
			counted(sum.badDates, "date or duration of an event is impossible", "dates or durations of events are impossible")),
		trouble("missing_uids", "every event has a UID", sum.noUID, counted(sum.noUID, "event has no UID", "events have no UID")),
		trouble("unknown_time_zones", "every zone that events name is defined", sum.unknownZone,
			counted(sum.unknownZone, "event is in a time zone that its file does not define", "events are in time zones that their files do not define")+
				": starts_at is the local time read as UTC"),
		floating,
		unsupported("todos", "to-dos (VTODO)", sum.todos),
		unsupported("journals", "journal entries (VJOURNAL)", sum.journals),
		unsupported("free_busy", "free/busy times (VFREEBUSY)", sum.freeBusy),
		{store: "subscriptions", status: statusUnsupported, reason: "subscription URLs need the network; this connector reads files"},
	}
}
