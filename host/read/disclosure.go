package read

import "time"

// MostNamed is how many connections a Disclosure names.
const MostNamed = 100

// Disclosure is what one read told its caller, and nothing of what stood in it (RD-56).
type Disclosure struct {
	At          time.Time
	RequestID   string
	Caller      *Caller
	Route       string           // its pattern
	Parameters  []string         // the names of those that the route has
	Records     map[string]int64 // how many of each stream were told
	Connections []string         // whose they were, the first MostNamed of them
	Bytes       int64
	Status      int
	Code        string // of a refusal; "": it was answered
	Took        time.Duration
}
