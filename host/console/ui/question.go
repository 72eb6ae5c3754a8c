package ui

import "time"

// Question is what a run asks its owner, as a line that leads to its page.
type Question struct {
	ID, Connection string
	Quote          string    // the connector's words
	Deadline       time.Time // zero: as long as the run may go on
	Watched        bool      // its page is open in a browser of the owner's
}
