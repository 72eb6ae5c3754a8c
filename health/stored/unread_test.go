package stored_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// AC-03, AC-15: a file that is damaged, or known and not read, is never healthy, unless its owner
// has settled it. A gap that tells of it and weighs has its own words.
func TestAFileThatIsNotWholeIsNotHealthy(t *testing.T) {
	t.Parallel()
	amiss := []stored.AmissFiles{{About: health.Mark("torn"), Count: 2, Names: []string{"a", "b"}}, {About: health.Mark("old"), Count: 3, Names: []string{"c", "d", "e"}}}
	gap := func(severity, action health.Word) []health.KnownGap {
		return []health.KnownGap{{Kind: "skip_result", About: health.Mark("torn"), Severity: severity, RecoveryAction: action}}
	}
	missing := health.Mark(abi.PartMissing)
	parts := []stored.AmissFiles{{About: missing, Count: 2, Names: []string{"x-1", "x-3"}}}
	absent := func(words string) []health.KnownGap {
		g := says("", words)
		g.About = missing
		return []health.KnownGap{g}
	}
	for name, c := range map[string]struct {
		unread stored.UnreadFiles
		gaps   []health.KnownGap
		tone   verdict.Tone
		said   string
	}{
		"two reasons":            {unread: stored.UnreadFiles{Amiss: amiss}, tone: verdict.Amber, said: "Damaged, or recognized but not read, in its folder: 5 files: a, b, c, …."},
		"a gap without a weight": {unread: stored.UnreadFiles{Amiss: amiss[:1]}, gaps: gap("informational", "not_retriable"), tone: verdict.Amber, said: "Damaged, or recognized but not read, in its folder: 2 files: a, b."},
		"a gap with a weight":    {unread: stored.UnreadFiles{Amiss: amiss[:1]}, gaps: gap("actionable", "manual_action_required"), tone: verdict.Amber, said: "Not read whole, in its folder: 2 files: a, b; once you have put it right, a run collects it."},
		"of two streams": {unread: stored.UnreadFiles{Amiss: amiss[:1]}, gaps: []health.KnownGap{
			{Kind: "skip_result", Stream: "a", About: health.Mark("torn"), Severity: "actionable", RecoveryAction: "manual_action_required"},
			{Kind: "skip_result", Stream: "c", About: health.Mark("torn"), Severity: "actionable", RecoveryAction: "manual_action_required"},
		}, tone: verdict.Amber, said: "Not read whole, in its folder: 2 files: a, b; once you have put it right, a run collects it."},
		"beside what is no file":  {unread: stored.UnreadFiles{Amiss: amiss[:1]}, gaps: append(gap("actionable", "manual_action_required"), unreadable("a")), tone: verdict.Amber, said: "Not read whole, in its folder: 2 files: a, b; once you have put it right, a run collects it."},
		"settled":                 {unread: stored.UnreadFiles{Settled: []string{health.Mark("torn")}}, gaps: gap("actionable", "manual_action_required"), tone: verdict.Green, said: "The data is current, and collection works."},
		"another reason settled":  {unread: stored.UnreadFiles{Settled: []string{health.Mark("old")}}, gaps: gap("actionable", "manual_action_required"), tone: verdict.Amber, said: "Something is missing that needs you, and the details say what; once you have put it right, a run collects it."},
		"not understood, as well": {unread: stored.UnreadFiles{Count: 1, Names: []string{"z"}, Amiss: amiss}, tone: verdict.Amber, said: "Not understood in its folder: 1 file: z."},
		"all of it": {unread: stored.UnreadFiles{Count: 1, Names: []string{"z"}, Amiss: amiss}, gaps: append(gap("actionable", "manual_action_required"), says("a", "“1 entry has no time”: e")), tone: verdict.Amber,
			said: "Not read whole, in its folder: 2 files: a, b; once you have put it right, a run collects it. Not collected, in the connector's words: “1 entry has no time”: e. Damaged, or recognized but not read, in its folder: 3 files: c, d, e. Not understood in its folder: 1 file: z."},
		"what is no file": {gaps: []health.KnownGap{says("b", "of no stream that is required"), says("a", "“1 entry has no time”: e"), unreadable("a"), says("c", "“x”")}, tone: verdict.Amber, said: "Not collected, in the connector's words: “1 entry has no time”: e; and 2 more."},
		"a file of two reasons": {unread: stored.UnreadFiles{Amiss: []stored.AmissFiles{{About: health.Mark("old"), With: []string{health.Mark("torn")}, Count: 1, Names: []string{"a"}}}}, gaps: append(gap("actionable", "manual_action_required"), health.KnownGap{Kind: "skip_result", Stream: "a", About: health.Mark("old"), Severity: "actionable", RecoveryAction: "manual_action_required"}),
			tone: verdict.Amber, said: "Not read whole, in its folder: 1 file: a; once you have put it right, a run collects it."},
		"a part that is missing":                {unread: stored.UnreadFiles{Amiss: parts}, gaps: absent("part 2 of 3 is not there"), tone: verdict.Amber, said: "Not collected, in the connector's words: part 2 of 3 is not there."},
		"a part that is missing, without words": {unread: stored.UnreadFiles{Amiss: parts}, gaps: absent(""), tone: verdict.Amber, said: "Not read whole, in its folder: 2 files: x-1, x-3; once you have put it right, a run collects it."},
		"a part that is damaged beside one that is missing": {unread: stored.UnreadFiles{Amiss: append(parts, stored.AmissFiles{About: missing, With: []string{health.Mark("torn")}, Count: 1, Names: []string{"x-4"}})}, gaps: append(absent("part 2 of 4 is not there"), gap("actionable", "manual_action_required")...), tone: verdict.Amber,
			said: "Not read whole, in its folder: 1 file: x-4; once you have put it right, a run collects it. Not collected, in the connector's words: part 2 of 4 is not there."},
		"nothing amiss": {tone: verdict.Green, said: "The data is current, and collection works."},
	} {
		s := gapped(c.gaps...)
		s.Unread = &c.unread
		v := verdict.OfStored(s, gappedNow, true)
		if v.Pill.Tone != c.tone || v.ForwardStatement != c.said {
			t.Errorf("%s: got %s, %q, want %s, %q", name, v.Pill.Tone, v.ForwardStatement, c.tone, c.said)
		}
	}
}

func says(stream, words string) health.KnownGap {
	g := unreadable(stream)
	g.Says = words
	return g
}
