package replay

import (
	"fmt"
	"strconv"
	"strings"
)

// Difference is the first difference between a guest and its recording.
type Difference struct {
	Call     int    `json:"call"` // the number of the guest's call, logs included, from 1
	What     string `json:"what"` // such as "request 3 (http) differs at byte 17"
	Recorded string `json:"recorded"`
	Replayed string `json:"replayed"`
}

// Sizes of the excerpts around the first differing byte.
const (
	shownBefore = 40
	shownAfter  = 120
)

// differ describes the difference between a call, or the end, and the recorded one.
func differ(number int, recorded *event, was []byte, replayed *event, is []byte) *Difference {
	d := &Difference{Call: number}
	if title(recorded) != title(replayed) || recorded.Kind == kindEnd {
		d.What = "the guest goes on differently"
		d.Recorded, d.Replayed = summary(recorded, was), summary(replayed, is)
		return d
	}
	at := 0
	for at < min(len(was), len(is)) && was[at] == is[at] {
		at++
	}
	d.What = fmt.Sprintf("%s differs at byte %d", title(recorded), at)
	d.Recorded, d.Replayed = excerpt(was, at), excerpt(is, at)
	return d
}

// title describes an event in one phrase.
func title(e *event) string {
	switch e.Kind {
	case kindSubmit:
		return fmt.Sprintf("request %d (%s)", e.Request, e.Op)
	case kindLog:
		return "log at level " + strconv.Itoa(int(e.Level))
	case kindEnd:
		return "the end"
	default:
		return e.Kind
	}
}

func summary(e *event, payload []byte) string {
	if e.Kind != kindEnd {
		return title(e) + ": " + excerpt(payload, 0)
	}
	if e.Error != nil {
		return "the end: " + string(e.Error.Code)
	}
	return "the end: it returns " + strconv.Itoa(int(e.Code))
}

// excerpt returns a short part of a payload around a position.
func excerpt(p []byte, at int) string {
	from, to := max(0, at-shownBefore), min(len(p), at+shownAfter)
	s := strings.ToValidUTF8(string(p[from:to]), "?")
	if from > 0 {
		s = "… " + s
	}
	if to < len(p) {
		s += " …"
	}
	return s
}
