package live

import (
	"encoding/json"
	"fmt"
	"time"
)

// The names of events about no one connection or run.
const (
	Begun     = "begun" // the watch: the first event of one that goes on behind no mark
	Questions = "questions"
	Devices   = "devices"
	Reset     = "reset" // too much has changed to be told: ask for everything again
)

// Event says that something has changed.
type Event struct {
	Mark string // where a watcher goes on that saw this event
	Name string // connection-ID, run-ID, or one of the names above
	Data []byte // JSON on one line
}

// subject is the data of an event.
type subject struct {
	ConnectionID string `json:"connection_id,omitempty"`
	Connection   string `json:"connection,omitempty"`
	RunID        string `json:"run_id,omitempty"`
}

func about(name, mark string, s subject) Event {
	data, err := json.Marshal(s)
	if err != nil { // of strings alone, it never is
		data = []byte("{}")
	}
	return Event{mark, name, data}
}

// place is how far a watcher is: in the numbered changes, and in what time alone changes.
type place struct {
	change int64
	at     time.Time
}

func (p place) mark() string { return fmt.Sprintf("%d-%d", p.change, p.at.UnixMilli()) }

// placeOf reads a mark.
func placeOf(mark string) (p place, ok bool) {
	var ms int64
	if n, err := fmt.Sscanf(mark, "%d-%d", &p.change, &ms); err != nil || n != 2 || p.change < 0 || ms < 0 || ms > 1<<45 {
		return place{}, false
	}
	p.at = time.UnixMilli(ms)
	return p, p.mark() == mark
}
