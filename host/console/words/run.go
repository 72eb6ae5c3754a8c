package words

import (
	"strconv"
	"strings"
	"time"
)

// A run's page, and the list of runs.
const (
	RunsTitle          = "Runs"
	NoRunsYet          = "Nothing has run yet."
	RefusedHeading     = "Could not begin"
	TimesSince         = "times since"
	RecordsMoved       = "records new, changed or gone"
	EarlierRuns        = "Earlier runs"
	OfConnection       = "Runs of"
	RunOf              = "Run of"
	Began              = "Began"
	Took               = "Took"
	Runs               = "Going on for"
	Mode               = "How"
	Module             = "Connector"
	StopRun            = "Stop"
	StopNote           = "What it has collected is kept, and the next run goes on from there."
	ElsewhereNote      = "Another process makes this run: it is stopped there."
	LiveHeading        = "Now"
	NewCount           = "new"
	ChangedCount       = "changed"
	UnchangedCount     = "unchanged"
	SuppressedCount    = "deleted by you"
	DeletedCount       = "deleted"
	RejectedCount      = "rejected"
	NoneYet            = "nothing yet"
	NothingNew         = "nothing new"
	OfTotal            = "of"
	EveryRequest       = "1 request every"
	NextRequest        = "next"
	WaitAsked          = "the service asked for a pause"
	WaitPaced          = "keeping its pace"
	RequestsSent       = "requests"
	RetriesSent        = "retries"
	Throttled          = "refused as too many"
	RecordsHeading     = "Records"
	RecordsChart       = "Records over time"
	CheckpointsHeading = "Where the next run goes on"
	CommittedMark      = "kept"
	WithheldMark       = "held back"
	NoCheckpoints      = "This run moved no checkpoint."
	GapsHeading        = "Still missing"
	KeyColumn          = "Record"
	ReasonColumn       = "Reason"
	AttemptsColumn     = "Attempts"
	EventsHeading      = "Events"
	AtColumn           = "When"
	WhatColumn         = "What"
	SaidColumn         = "Said"
	MostEvents         = "Only the last events are shown."
	RequestsHeading    = "Requests"
	RequestsNote       = "By destination, over all runs of the connection:"
	WhyFailed          = "Why it did not succeed"
	LeftOutHeading     = "What it left out"
	Unreadable         = "Part of what this run said cannot be read."
	ProcessGone        = "Its process is gone."
)

var runStatuses = map[string]string{
	"running": "Running", "succeeded": "Succeeded", "failed": "Failed", "cancelled": "Stopped", "abandoned": "Broke off",
}

// RunStatus is a run's status in words.
func RunStatus(status string) string {
	if text, known := runStatuses[status]; known {
		return text
	}
	return status
}

var modes = map[string]string{"incremental": "what is new", "full_refresh": "everything again", "backfill": "older data", "recovery": "what was missing"}

// RunMode is the way of a run in words.
func RunMode(mode string) string {
	if text, known := modes[mode]; known {
		return text
	}
	return mode
}

// Reason is a stable word as a reader's text: its underscores are spaces.
func Reason(word string) string { return strings.ReplaceAll(word, "_", " ") }

// EventName is an event's stable name as a reader's text.
func EventName(name string) string { return Reason(strings.TrimPrefix(name, "run.")) }

// Duration says how long something took.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min " + strconv.Itoa(int(d.Seconds())%60) + " s"
	}
	return strconv.Itoa(int(d.Hours())) + " h " + strconv.Itoa(int(d.Minutes())%60) + " min"
}

// Growth says in words what a chart of records shows.
func Growth(last int64, over time.Duration) string {
	return strconv.FormatInt(last, 10) + " records after " + Duration(over)
}
