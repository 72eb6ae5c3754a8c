package stored

import (
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/health"
)

// UnreadFiles says what the last run that looked at all of a connection's folders did not
// read (AC-03).
type UnreadFiles struct {
	// Count is how many files nothing explains: they were neither read nor ignored, and the
	// connector did not say what they are.
	Count int64 `json:"count,omitempty"`
	// Names are the first of them, at most MostUnread.
	Names []string `json:"names,omitempty"`
	// Nothing: no file was read to its end, and no record of data is kept.
	Nothing bool `json:"nothing,omitempty"`
}

// MostUnread is how many unread files a sentence names.
const MostUnread = 3

// coverageStream is where a connector accounts for a folder.
const coverageStream = "coverage_diagnostics"

// The words for files that nothing explains: the kind of their gap, and the reason of the
// request to their owner.
const (
	unexplainedInput health.Word = "unexplained_input"
	notUnderstood    health.Word = "input_not_understood"
)

// knownGap returns the known gap for the files. Their owner clears it, by a word or by
// another connector.
func (u *UnreadFiles) knownGap() health.KnownGap {
	return health.KnownGap{Kind: unexplainedInput, Severity: "actionable", RecoveryAction: "manual_action_required"}
}

// Unexplained counts the files and names the first of them, for a sentence: "2 files:
// a.json, b.zip". It is "" when there is none.
func (s *Facts) Unexplained() string {
	u := s.Unread
	if u == nil || u.Count == 0 {
		return ""
	}
	text := "1 file"
	if u.Count > 1 {
		text = strconv.FormatInt(u.Count, 10) + " files"
	}
	for i, name := range u.Names {
		if sep := ", "; i == 0 {
			text += ": " + name
		} else {
			text += sep + name
		}
	}
	if u.Count > int64(len(u.Names)) && len(u.Names) > 0 {
		text += ", …"
	}
	return text
}

// Collects reports whether a stream is meant to hold the owner's data, and not a list of what a
// folder has.
func (s *Facts) Collects(stream string) bool {
	return stream != coverageStream && !slices.ContainsFunc(s.streams(), func(m health.ManifestStream) bool { return m.Name == stream && m.CoveragePolicy.Accepted() })
}

// readNothing reports whether the last run read no file, and nothing was ever collected:
// whatever the connector says of that, nobody knows what there is (AC-03).
func (s *Facts) readNothing() bool {
	return s.Unread != nil && s.Unread.Nothing && s.decidingRun() != nil
}
