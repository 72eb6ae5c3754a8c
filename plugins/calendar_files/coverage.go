package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
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

// coverage emits the rows that are new or changed.
func (r *run) coverage() error {
	set := files.OpenRows(r.h, streamCoverage)
	for _, row := range r.coverageRows() {
		id := "coverage:" + row.store
		if !set.News(id, files.Sum(row.stream, row.status, row.reason, strconv.FormatInt(row.count, 10))) {
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
	return set.Close(true)
}

func (r *run) coverageRows() []coverageRow {
	var sum counts
	var live, files, eventless int64
	var unknown nameCounts
	failed := r.failed
	for _, p := range cursor.Keys(r.after.files) {
		s := r.after.files[p]
		if s.removed == 0 {
			files++
		}
		if s.eventless() {
			eventless++
		}
		live += s.live
		if !s.whole() {
			failed++
		}
		unknown.resolve(s.unknown, r.after.names)
		for i, n := range s.counts.all() {
			*sum.all()[i] += *n
		}
	}
	unsupported := func(store, what string, n int64) coverageRow {
		if n == 0 {
			return coverageRow{store, "", statusAbsent, "the files hold no " + what, 0, true}
		}
		return coverageRow{store, "", statusUnsupported, what + " are counted, not collected", n, true}
	}
	calendars := coverageRow{"files", streamCalendars, statusCollected, "one calendar a file", files, true}
	if failed > 0 {
		calendars.status = statusIncomplete
		calendars.reason = problems.Counted(failed, "file or folder could not be collected whole; its earlier records stay",
			"files or folders could not be collected whole; their earlier records stay")
	}
	if eventless > 0 {
		calendars.reason += "; " + problems.Counted(eventless, "file has", "files have") + " no event, and to-dos, journal entries or free/busy times are not collected"
	}
	names := coverageRow{"unknown_names", "", statusAbsent, "the files name nothing that this connector does not know", 0, true}
	if text, n := unknown.text(); n > 0 {
		names.status, names.count, names.reason = statusUnsupported, n, "not known, and not collected: "+text
	}
	events := coverageRow{"events", streamEvents, statusCollected, "events that are not cancelled", live, true}
	trouble := func(store, none string, n int64, some string) coverageRow {
		if n == 0 {
			return coverageRow{store, streamEvents, statusCollected, none, 0, true}
		}
		return coverageRow{store, streamEvents, statusIncomplete, some, n, true}
	}
	byRule := func(store, none string, n int64, some string) coverageRow {
		if n == 0 {
			return coverageRow{store, streamEvents, statusAbsent, none, 0, true}
		}
		return coverageRow{store, streamEvents, statusCollected, some, n, true}
	}
	cancelled := byRule("cancelled_events", "no event is cancelled", sum.cancelled,
		problems.Counted(sum.cancelled, "event or occurrence is", "events or occurrences are")+" cancelled (STATUS or METHOD), and not collected by rule")
	if sum.cancelled > 0 {
		cancelled.status = statusUnsupported
	}
	floating := coverageRow{"floating_times", streamEvents, statusAbsent, "no event starts at a time without a zone", 0, true}
	if sum.floating > 0 {
		floating.status, floating.count = statusCollected, sum.floating
		floating.reason = problems.Counted(sum.floating, "event starts", "events start") + " at a time without a zone: starts_at is the local time read as UTC"
	}
	return []coverageRow{
		calendars, events,
		trouble("malformed_lines", "every line was understood", sum.malformed+sum.oversized,
			problems.Counted(sum.malformed, "line is", "lines are")+" malformed, "+problems.Counted(sum.oversized, "line was", "lines were")+" cut"),
		trouble("malformed_dates", "every date was understood", sum.badDates,
			problems.Counted(sum.badDates, "date or duration of an event is impossible", "dates or durations of events are impossible")),
		trouble("missing_starts", "every event has a start", sum.noStart,
			problems.Counted(sum.noStart, "event has no start that can be read", "events have no start that can be read")),
		trouble("guessed_encodings", "every text is in an encoding that is known", sum.guessed,
			problems.Counted(sum.guessed, "text was read as Windows-1252", "texts were read as Windows-1252")),
		byRule("alike_events", "no two events have one key and different content", sum.twins,
			problems.Counted(sum.twins, "event has the key of another one", "events have the keys of others")+" and other content: each is collected"),
		byRule("duplicate_events", "no event is in a file twice", sum.duplicates,
			problems.Counted(sum.duplicates, "event is", "events are")+" in their file once more, the same"),
		byRule("copied_events", "no file is a copy of another one", sum.copied,
			problems.Counted(sum.copied, "event is", "events are")+" in a file that is a copy of another one, and collected from that one"),
		cancelled,
		byRule("superseded_events", "no event has an earlier version beside it", sum.superseded,
			problems.Counted(sum.superseded, "event is", "events are")+" an earlier version by SEQUENCE, or was cancelled later"),
		trouble("missing_uids", "every event has a UID", sum.noUID, problems.Counted(sum.noUID, "event has no UID", "events have no UID")),
		trouble("unknown_time_zones", "every zone that events name is defined", sum.unknownZone+sum.zoneYears,
			problems.Counted(sum.unknownZone+sum.zoneYears, "event is in a time zone that nothing defines for its year", "events are in time zones that nothing defines for their years")+
				": starts_at is the local time read as UTC"),
		floating,
		names,
		unsupported("todos", "to-dos (VTODO)", sum.todos),
		unsupported("journals", "journal entries (VJOURNAL)", sum.journals),
		unsupported("free_busy", "free/busy times (VFREEBUSY)", sum.freeBusy),
		{store: "subscriptions", status: statusUnsupported, reason: "subscription URLs need the network; this connector reads files"},
	}
}
