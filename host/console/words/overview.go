package words

import "strconv"

// The overview.
const (
	OverviewTitle = "Overview"
	NothingYet    = "Nothing is collected yet"
	NothingNeeds  = "Nothing needs you"
	OneNeeds      = "One thing needs you"
	ThingsNeed    = "things need you"
	WhatNeeds     = "What needs you"
	Connections   = "Connections"
	NextPage      = "More connections"
	FirstPage     = "Back to the first"
	AddConnection = "Add a connection"
	AddFirst      = "Choose a connector to begin: it says what it asks for, and collects nothing before you agree."
	FilterName    = "Name"
	FilterPill    = "State"
	AnyPill       = "Any state"
	Filter        = "Filter"
	Unfiltered    = "Show all"
	NoneMatch     = "No connection matches."
	NotCollected  = "never"
	LastRefresh   = "Last successful run"
	Answer        = "Answer"
	MoreNeed      = "more"
	OneMore       = "and 1 more thing"
	Asks          = "asks"
	WaitsUntil    = "The run waits until"
	WaitsAsLong   = "The run waits for your answer."
)

// The buttons that lead to what a verdict asks for.
const (
	DoSignIn   = "Enter a credential"
	DoRun      = "Run now"
	DoFetch    = "Fetch it now"
	DoResume   = "Resume"
	DoModule   = "See what it asks for"
	DoFolder   = "Choose the folder"
	DoFiles    = "See the files"
	DoSettings = "Change its settings"
	DoDevice   = "Show the steps"
	DoOpen     = "Open"
	DoAnswer   = "Answer"
)

// numerals are small numbers in words, as a headline begins.
var numerals = []string{"No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"}

// Things says how many things need the owner.
func Things(n int64) string {
	switch {
	case n == 0:
		return NothingNeeds
	case n == 1:
		return OneNeeds
	case n < int64(len(numerals)):
		return numerals[n] + " " + ThingsNeed
	}
	return strconv.FormatInt(n, 10) + " " + ThingsNeed
}

// MoreThings says how many actions stand behind the first.
func MoreThings(n int) string {
	if n == 1 {
		return OneMore
	}
	return "and " + strconv.Itoa(n) + " more things"
}

// RunsOfDays says in words what the bars of some days show.
func RunsOfDays(days int, good, bad, stopped, live int64) string {
	text := ""
	for _, p := range []struct {
		n    int64
		what string
	}{{good, "succeeded"}, {bad, "failed"}, {stopped, "stopped"}, {live, "going on"}} {
		if p.n == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += strconv.FormatInt(p.n, 10) + " " + p.what
	}
	if text == "" {
		return "No runs in " + strconv.Itoa(days) + " days"
	}
	return "Runs of " + strconv.Itoa(days) + " days: " + text
}
