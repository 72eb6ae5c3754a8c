package house_test

import (
	"regexp"
	"strings"
	"testing"
)

// awkward finds the habits that make a reader parse a sentence twice: a relative clause
// as the subject ("What waits is sent first.") and "is of" in place of a verb.
var awkward = regexp.MustCompile(`^(What|Who|Whoever) |\b(is|are) of `)

// sentenceEnd separates the sentences of a comment.
var sentenceEnd = regexp.MustCompile(`([.!?:])\s+`)

// awkwardSentences returns the sentences of a comment that awkward finds. A question
// may begin with What.
func awkwardSentences(comment string) []string {
	var found []string
	for s := range strings.SplitSeq(sentenceEnd.ReplaceAllString(comment, "$1\x00"), "\x00") {
		s = strings.Join(strings.Fields(s), " ")
		if awkward.MatchString(s) && !strings.HasSuffix(s, "?") {
			found = append(found, s)
		}
	}
	return found
}

func TestCommentsArePlain(t *testing.T) {
	t.Parallel()
	for _, file := range goFiles(t) {
		fset, f := parse(t, file)
		for _, group := range f.Comments {
			for _, s := range awkwardSentences(group.Text()) {
				t.Errorf("%s:%d: got %q, want the subject first, a noun, and one verb", file, fset.Position(group.Pos()).Line, s)
			}
		}
	}
}

func TestAwkwardSentences(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]int{
		"What waits is sent first.":                         1,
		"Send sends. Who waits\nis sent first.":             1,
		"A key: whoever has it may renew.":                  0,
		"The error is of a text that is not JSON.":          1,
		"It holds these: What is left, and the rest.":       1,
		"What is left? The rest.":                           0,
		"The host of the manifest is one of these.":         0,
		"Whoever writes here runs code. The names are of x": 2,
	} {
		if got := awkwardSentences(comment); len(got) != want {
			t.Errorf("%q: got %d awkward sentences %q, want %d", comment, len(got), got, want)
		}
	}
}
