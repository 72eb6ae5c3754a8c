package stored

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
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
	// Amiss are the files that are damaged, or known and not read, by the reasons that the
	// connector gave: each file once, and at most MostAmiss groups.
	Amiss []AmissFiles `json:"amiss,omitempty"`
	// Settled are digests of the reasons of files that are damaged, or known and not read, each of which
	// the owner has said may stay so.
	Settled []string `json:"settled,omitempty"`
	// Nothing: no file was read to its end, and no record of data is kept.
	Nothing bool `json:"nothing,omitempty"`
}

// AmissFiles are the files of the same reasons.
type AmissFiles struct {
	About string   `json:"about"`          // health.Mark of a reason
	With  []string `json:"with,omitempty"` // those of the other ones
	Count int64    `json:"count"`
	Names []string `json:"names"` // the first of them, at most MostUnread
}

// MostAmiss is how many groups of files that are amiss are told apart.
const MostAmiss = 32

// MostUnread is how many unread files a sentence names.
const MostUnread = 3

// The words for files that nothing explains, and for those that are not whole in the store: the kind
// of their gap, and the reasons of the requests to their owner.
const (
	unexplainedInput health.Word = "unexplained_input"
	notUnderstood    health.Word = "input_not_understood"
	notWhole         health.Word = "input_not_whole"

	skipped health.Word = "skip_result" // the kind of the gap of a stream that a connector skipped
)

// knownGap returns the known gap for the files. Their owner clears it, by a word or by
// another connector.
func (u *UnreadFiles) knownGap() health.KnownGap {
	return health.KnownGap{Kind: unexplainedInput, Severity: "actionable", RecoveryAction: "manual_action_required"}
}

// settles reports whether the owner has said that all files which the gap tells of may stay as
// they are.
func (u *UnreadFiles) settles(g *health.KnownGap) bool {
	return u != nil && g.About != "" && slices.Contains(u.Settled, g.About)
}

// collectedUS returns when a run last collected all of a stream, or all but what its owner has said may stay as it
// is; 0: never.
func (s *Facts) collectedUS(stream string) int64 {
	at := s.CollectedUS[stream]
	if but := s.ButFilesUS[stream]; but > at && !slices.ContainsFunc(s.KnownGaps, func(g health.KnownGap) bool {
		return g.Stream == stream && g.Kind == skipped && g.Severity != "informational" && !s.Unread.settles(&g)
	}) {
		at = but
	}
	return at
}

// Unexplained counts the files and names the first of them, for a sentence: "2 files:
// a.json, b.zip". It is "" when there is none.
func (s *Facts) Unexplained() string {
	if u := s.Unread; u != nil {
		return counted(u.Count, u.Names)
	}
	return ""
}

// NotWhole counts the files that are damaged, or known and not read, and names the first of them.
// It leaves out those that a gap with a weight of its own tells of, and those that their owner has
// settled.
func (s *Facts) NotWhole() string {
	var n int64
	var names []string
	for _, a := range s.notWhole() {
		n += a.Count
		names = append(names, a.Names[:min(len(a.Names), MostUnread-len(names))]...)
	}
	return counted(n, names)
}

// of reports whether the files have a reason by its mark.
func (a *AmissFiles) of(mark string) bool {
	return mark != "" && (a.About == mark || slices.Contains(a.With, mark))
}

// Amiss reports whether the connection's books have files with that reason of a connector's.
func (s *Facts) Amiss(reason string) bool {
	return s.Unread != nil && slices.ContainsFunc(s.Unread.Amiss, func(a AmissFiles) bool { return a.of(health.Mark(reason)) })
}

// Settles reports whether the owner has said that each file with that reason of a connector's may stay as it is.
func (s *Facts) Settles(reason string) bool {
	return s.Unread.settles(&health.KnownGap{About: health.Mark(reason)})
}

// left are the gaps with a weight that the last run left to the connection's owner, who has not settled them.
func (s *Facts) left() (gaps []*health.KnownGap) {
	for i := range s.KnownGaps {
		g := &s.KnownGaps[i]
		if g.Weighs() && g.OwnerClears() && !g.Stays() && !s.Unread.settles(g) && g.Kind != unexplainedInput && g.Kind != notWhole {
			gaps = append(gaps, g)
		}
	}
	return gaps
}

// ofAbsent reports whether a gap is about what is not in the folder: its words name that, and nothing is wrong with the
// files that are accounted for with it.
func ofAbsent(g *health.KnownGap) bool {
	return g.Says != "" && g.About == health.Mark(abi.PartMissing)
}

// LeftFiles counts and names, as NotWhole does, the files of which the gaps tell that the last run
// left to its owner.
func (s *Facts) LeftFiles() string {
	if s.Unread == nil {
		return ""
	}
	gaps := s.left()
	var n int64
	var names []string
	for i := range s.Unread.Amiss {
		a := &s.Unread.Amiss[i]
		if slices.ContainsFunc(gaps, func(g *health.KnownGap) bool { return a.of(g.About) && !ofAbsent(g) }) {
			n += a.Count
			names = append(names, a.Names[:min(len(a.Names), MostUnread-len(names))]...)
		}
	}
	return counted(n, names)
}

// LeftSaid is what the last run said of what it left to its owner beside the files of LeftFiles: the
// words for the first of it that the connection requires, and how much more there is. If it requires nothing of it, the rest has
// the word. It is "" if there are no words.
func (s *Facts) LeftSaid() (said string) {
	more := 0
	required := slices.ContainsFunc(s.left(), func(g *health.KnownGap) bool { return s.requires(g.Stream) })
	for _, g := range s.left() {
		switch {
		case required && !s.requires(g.Stream), !ofAbsent(g) && s.Unread != nil && slices.ContainsFunc(s.Unread.Amiss, func(a AmissFiles) bool { return a.of(g.About) }):
		case said == "" && g.Says != "":
			said = g.Says
		default:
			more++
		}
	}
	if said == "" || more == 0 {
		return said
	}
	return said + "; and " + strconv.Itoa(more) + " more"
}

func (s *Facts) notWhole() (list []AmissFiles) {
	if s.Unread == nil {
		return nil
	}
	for _, a := range s.Unread.Amiss {
		told := func(mark string) bool {
			return slices.ContainsFunc(s.KnownGaps, func(g health.KnownGap) bool { return g.About == mark && g.Weighs() })
		}
		if !told(a.About) || slices.ContainsFunc(a.With, func(mark string) bool { return !told(mark) }) {
			list = append(list, a)
		}
	}
	return list
}

func counted(n int64, names []string) string {
	if n == 0 {
		return ""
	}
	text := "1 file"
	if n > 1 {
		text = strconv.FormatInt(n, 10) + " files"
	}
	if len(names) == 0 {
		return text
	}
	text += ": " + strings.Join(names, ", ")
	if n > int64(len(names)) {
		text += ", …"
	}
	return text
}

// Collects reports whether a stream is meant to hold the owner's data, and not a list of what a
// folder has.
func (s *Facts) Collects(stream string) bool {
	return stream != abi.StreamCoverage && !slices.ContainsFunc(s.streams(), func(m health.ManifestStream) bool { return m.Name == stream && m.CoveragePolicy.Accepted() })
}

// readNothing reports whether the last run read no file, and nothing was ever collected:
// whatever the connector says of that, nobody knows what there is (AC-03).
func (s *Facts) readNothing() bool {
	return s.Unread != nil && s.Unread.Nothing && s.decidingRun() != nil
}
