package exports

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Tally counts by words: kinds of files, or problems.
type Tally map[string]int64

// Add adds the counts of another one.
func (t Tally) Add(other Tally) {
	for word, n := range other {
		t[word] += n
	}
}

// words returns the words of a tally in their order.
func (t Tally) words() []string {
	words := make([]string, 0, len(t))
	for word, n := range t {
		if n != 0 {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}

// AppendJSON appends the tally as an object.
func (t Tally) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	for _, word := range t.words() {
		b = jsonappend.Int(jsonappend.Name(b, word), t[word])
	}
	return append(b, '}')
}

// ReadTally reads what AppendJSON wrote.
func ReadTally(v jsonvalue.Value) Tally {
	t := make(Tally)
	for it := v.Children(); it.Next(); {
		t[it.Name().Str()] = it.Value().Int()
	}
	return t
}

// Problem is what a run says of one kind of fault: the text, with their number for "#".
type Problem struct{ Code, Text, Hint string }

// The problems that every connector of archives may meet. Their codes are those of the
// readers, with an underscore for the dot.
var faults = []Problem{
	{"archive_truncated", "archives or files in them that end too early: #; download them again", "manual_action_required"},
	{"archive_corrupt", "archives or files in them that are damaged: #; download them again", "manual_action_required"},
	{"archive_encrypted", "archives or files in them that need a password: #; pack them again without one", "manual_action_required"},
	{"archive_unsupported", "archives or files in them that are packed in a way that is not read: #; pack them as an ordinary zip", "manual_action_required"},
	{"archive_unsafe_name", "files that were left out, because their name leads out of the archive: #", "not_retriable"},
	{"archive_duplicate_name", "files that were left out, because an earlier one has their name: #", "not_retriable"},
	{"archive_nested", "files that were not opened, because they are archives themselves: #", "not_retriable"},
	{"archive_too_large", "archives or files in them that unpack to more than is read: #", "not_retriable"},
	{"archive_not_an_archive", "files that are named like archives, and are none: #", "manual_action_required"},
	{Unreadable, "archives that could not be read, and are tried again: #", "manual_action_required"},
	{"jsonstream_syntax", "JSON files that are not JSON: #; what stands before the fault was read", "not_retriable"},
	{"jsonstream_truncated", "JSON files that end in the middle: #", "manual_action_required"},
	{"csv_truncated", "tables that end in the middle: #", "manual_action_required"},
	{"markup_syntax", "XML files that are not XML: #; what stands before the fault was read", "not_retriable"},
	{"markup_truncated", "XML files that end in the middle: #", "manual_action_required"},
	{"markup_too_large", "pages or XML files with a part beyond what is read: #", "not_retriable"},
	{"mbox_not_a_mailbox", "files that are named like mailboxes, and are none: #", "not_retriable"},
}

// Unreadable is the problem of a file that failed to be read, and may be read another time.
const Unreadable = "archive_read_failed"

// ProblemOf returns the code of the problem that an error of a reader of archives or files
// is, "" for any other error, which is the run's.
func ProblemOf(err error) string {
	e, ok := err.(*abi.Error) //nolint:errorlint // as the readers return it; errors.As needs reflection
	if !ok {
		return ""
	}
	code := strings.ReplaceAll(string(e.Code), ".", "_")
	if slices.ContainsFunc(faults, func(p Problem) bool { return p.Code == code }) {
		return code
	}
	return ""
}

// Report tells of each problem with a count, by the connector's own texts and those of the
// readers' faults.
func Report(h *sdk.Host, counts Tally, own ...Problem) error {
	for _, p := range append(slices.Clone(own), faults...) {
		n := counts[p.Code]
		if n == 0 {
			continue
		}
		err := h.Skip(abi.SkipResult{
			Reason: p.Code, Message: strings.Replace(p.Text, "#", strconv.FormatInt(n, 10), 1),
			RecoveryHint: jsonappend.String(nil, p.Hint), Diagnostics: append(jsonappend.Int([]byte(`{"count":`), n), '}'),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
