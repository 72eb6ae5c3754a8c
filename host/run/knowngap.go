package run

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Limits on the gaps that a run's result lists (runtime contract, section 9).
const (
	maxKnownGaps        = 50
	maxGapText          = 200
	maxGapDiagnostics   = 8 << 10
	maxErrorMessage     = 500
	maxResultDetailGaps = 1000
)

// KnownGap is something that the run knows it did not collect.
type KnownGap struct {
	Kind         string          `json:"kind"`
	Reason       string          `json:"reason"`
	Severity     string          `json:"severity"` // informational, transient, recoverable, actionable
	Stream       string          `json:"stream,omitempty"`
	Message      string          `json:"message,omitempty"`
	RecoveryHint string          `json:"recovery_hint,omitempty"`
	Diagnostics  json.RawMessage `json:"diagnostics,omitempty"`
	Count        int64           `json:"count"`

	keys []string // the first of the records that are missing, for Diagnostics
}

// knownGaps collects KnownGaps: equal gaps are counted together, and gaps past the
// limit are only counted. It is safe for concurrent use: a question that a run's end
// cancels adds its gap while the guest winds up.
type knownGaps struct {
	mu      sync.Mutex
	list    []KnownGap
	dropped int64
}

// bounded is g with its texts and diagnostics cut to their limits.
func (g KnownGap) bounded() KnownGap {
	g.Message = clip(g.Message, maxGapText)
	g.Reason = clip(g.Reason, maxGapText)
	if len(g.Diagnostics) > maxGapDiagnostics {
		g.Diagnostics = nil
	}
	g.Diagnostics = slices.Clone(g.Diagnostics) // it shares memory with the whole message
	return g
}

// add returns the gap's place in the list, for name and takeBack.
func (k *knownGaps) add(g KnownGap) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	g = g.bounded()
	if g.Count == 0 {
		g.Count = 1
	}
	for i := range k.list {
		x := &k.list[i]
		if x.Kind == g.Kind && x.Reason == g.Reason && x.Stream == g.Stream && x.Message == g.Message {
			x.Count += g.Count
			return i
		}
	}
	if len(k.list) >= maxKnownGaps {
		k.dropped += g.Count
		return pastTheLimit
	}
	k.list = append(k.list, g)
	return len(k.list) - 1
}

// tells reports whether a gap is about the stream, or about all of them.
func (k *knownGaps) tells(stream string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.dropped > 0 || slices.ContainsFunc(k.list, func(g KnownGap) bool { return g.Count > 0 && (g.Stream == stream || g.Stream == "") })
}

// explains reports whether a gap says why items of the stream, or of all of them, are missing. A
// note of the host on the stream's list says nothing of its items.
func (k *knownGaps) explains(stream string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.dropped > 0 || slices.ContainsFunc(k.list, func(g KnownGap) bool {
		return (g.Stream == stream || g.Stream == "") && (g.Kind == kindSkip || g.Kind == kindKeptBack || g.Severity != severityInformational)
	})
}

// pastTheLimit is the place of gaps that are only counted.
const pastTheLimit = -1

// maxNamedKeys is how many of its records a gap names.
const maxNamedKeys = 3

// example is how a gap names a record.
func example(key []byte) string { return "key " + clip(string(key), maxGapText) }

// name names a record that the gap at a place is about.
func (k *knownGaps) name(at int, key []byte) {
	if at == pastTheLimit {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	g, text := &k.list[at], example(key)
	if len(g.keys) < maxNamedKeys && !slices.Contains(g.keys, text) {
		g.keys = append(g.keys, text)
	}
}

// takeBack counts the gap at a place one time less and stops naming the record, which
// is no longer missing.
func (k *knownGaps) takeBack(at int, key []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at == pastTheLimit {
		k.dropped--
		return
	}
	g, text := &k.list[at], example(key)
	g.Count--
	g.keys = slices.DeleteFunc(g.keys, func(named string) bool { return named == text })
}

// all returns the gaps, never nil, with one gap that counts those past the limit.
func (k *knownGaps) all() []KnownGap {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := slices.DeleteFunc(append([]KnownGap{}, k.list...), func(g KnownGap) bool { return g.Count == 0 })
	for i := range out {
		if g := &out[i]; len(g.keys) > 0 {
			named, err := json.Marshal(struct {
				Count    int64    `json:"count"`
				Examples []string `json:"examples"`
			}{g.Count, g.keys})
			if err == nil {
				g.Diagnostics = named
			}
		}
	}
	if k.dropped > 0 {
		out = append(out, KnownGap{
			Kind: "truncated", Reason: "too_many_known_gaps", Severity: severityInformational, Count: k.dropped,
			Message: "further gaps of this run, counted only",
		})
	}
	return out
}

// hintAction returns the action of a recovery hint, in either of its shapes.
func hintAction(raw abi.Raw) string {
	if len(raw) == 0 {
		return ""
	}
	var action string
	if json.Unmarshal(raw, &action) == nil {
		return action
	}
	var obj struct {
		Action string `json:"action"`
	}
	if json.Unmarshal(raw, &obj) == nil {
		return obj.Action
	}
	return ""
}

const (
	kindSkip              = "skip"      // of a SKIP_RESULT
	kindKeptBack          = "kept_back" // of items that no record came of, while others of the stream may come in
	severityInformational = "informational"
)

// skipGap turns a SKIP_RESULT into a known gap.
func skipGap(s *abi.SkipResult) KnownGap {
	g := KnownGap{
		Kind: kindSkip, Reason: s.Reason, Stream: s.Stream, Message: s.Message, RecoveryHint: hintAction(s.RecoveryHint),
		Severity: "recoverable", Diagnostics: json.RawMessage(s.Diagnostics),
	}
	if g.Reason == "" {
		g.Reason = "unspecified"
	}
	if slices.Contains(keptBack, g.Reason) {
		g.Kind = kindKeptBack
	}
	switch g.RecoveryHint {
	case "refresh_credentials", "manual_action_required", "update_selector":
		g.Severity = "actionable"
	case "retry_by_runtime", "upstream_unblock":
		g.Severity = "transient"
	case "not_retriable":
		g.Severity = severityInformational
	}
	return g
}

// clip cuts s to at most n bytes at the end of a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n]) // so that the rest can be freed
}

// Named lists what the gap's diagnostics name, and how many of it there are in all, named or
// not: see storage.NamedIn.
func (g KnownGap) Named() (names []string, total int64) { return storage.NamedIn(g.Diagnostics) }

// printable is a name as sentences have it: what no letter is could move a reader's cursor.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, clip(name, maxGapText))
}

// steps are what to do about what is behind a door that the host does not open, by its kind: a
// folder that it may not list, a link, a file that is not on this machine, a name that no guest can
// say, an archive that the connector does not read.
var steps = []struct {
	step  string
	kinds []string
}{
	{"; let this host's user list the folder, such as with chmod u+rx", []string{plugin.KindUnlisted}},
	{"; give the connection the folder that the link leads to, or put it in the link's place", []string{plugin.KindLink}},
	{"; download it from iCloud again", []string{plugin.KindAway}},
	{"; give it a name in UTF-8", []string{plugin.KindMisnamed}},
	{"; if the archive has what this connection collects, unpack it there", []string{plugin.KindZip, plugin.KindGzip}},
}

// stepOf returns the place of a kind's step, which is behind all where it has none.
func stepOf(kind string) int {
	for i, s := range steps {
		if slices.Contains(s.kinds, kind) {
			return i
		}
	}
	return len(steps)
}

// outOfSight returns the steps for the files of the books that nothing explains.
func outOfSight(b *storage.Books) (advice string) {
	for _, s := range steps {
		if slices.ContainsFunc(b.Unread, func(u storage.UnreadFile) bool { return slices.Contains(s.kinds, u.Kind) }) {
			advice += s.step
		}
	}
	return advice
}

// The kind and the reason of the known gap for files that nothing explains.
const (
	KindUnexplained   = "unexplained_input"
	ReasonUnexplained = "input_not_understood"
)

// Unexplained returns the known gap for the files of the books that nothing explains, or nil if
// there is no such file. It names those first that its message has a step for.
func Unexplained(b *storage.Books) *KnownGap {
	n := int64(len(b.Unread)) + b.Beyond
	if n == 0 {
		return nil
	}
	names := make([]string, 0, maxNamedKeys)
	unread := slices.Clone(b.Unread)
	slices.SortStableFunc(unread, func(a, b storage.UnreadFile) int { return stepOf(a.Kind) - stepOf(b.Kind) })
	for i := range unread[:min(len(unread), maxNamedKeys)] {
		u := &unread[i]
		name := printable(u.Path)
		if u.Kind != "" {
			name += " (" + u.Kind + ")"
		}
		names = append(names, name)
	}
	files := "1 file"
	if n > 1 {
		files = strconv.FormatInt(n, 10) + " files"
	}
	g := &KnownGap{
		Kind: KindUnexplained, Reason: ReasonUnexplained, Severity: "actionable", RecoveryHint: "manual_action_required", Count: n,
		Message: files + " that the connector did not understand" + outOfSight(b),
	}
	if data, err := json.Marshal(map[string]any{"count": n, "examples": names}); err == nil {
		g.Diagnostics = data
	}
	return g
}
