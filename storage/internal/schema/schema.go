package schema

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// UnfinishedCopy is the table of a store that is an unfinished copy of another.
const UnfinishedCopy = "unfinished_copy"

// Objects are what this program makes in a schema: true if the newest has it.
type Objects map[string]bool

// read reads a list of them, and adds what may be there without a step.
func read(text string, more ...string) Objects {
	known := Objects{}
	for line := range strings.Lines(text) {
		when, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		known[what] = when == "now"
	}
	for _, what := range more {
		known[what] = false
	}
	return known
}

// Recognize refuses a store whose schema has what no step has made: a view in a table's place, or a
// trigger, is a stranger's code that statements of this program would run.
func (o Objects) Recognize(has []string, where string) error {
	for _, what := range has {
		if _, ok := o[what]; !ok {
			return strange("the store has what pdpp-host did not make: "+shown(what), where)
		}
	}
	return nil
}

// Complete refuses a store that has run every step and lacks what they make.
func (o Objects) Complete(has []string, where string) error {
	there := map[string]bool{}
	for _, what := range has {
		there[what] = true
	}
	var missing []string
	for what, now := range o {
		if now && !there[what] {
			missing = append(missing, what)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	first := slices.MinFunc(missing, func(a, b string) int { // a table before what is missing with it
		if at, bt := strings.HasPrefix(a, "table "), strings.HasPrefix(b, "table "); at != bt {
			return map[bool]int{true: -1, false: 1}[at]
		}
		return strings.Compare(a, b)
	})
	return strange("the store lacks what pdpp-host made: "+shown(first), where)
}

// shown is an object as a message names it, without the sum of its text.
func shown(what string) string {
	at := strings.LastIndexByte(what, ' ')
	if _, err := hex.DecodeString(what[at+1:]); err == nil && len(what)-at-1 >= hex.EncodedLen(16) {
		what = what[:at]
	}
	kind, name, _ := strings.Cut(what, " ")
	return fmt.Sprintf("%s %.80q", kind, name)
}

func strange(message, where string) *abi.Error {
	return abi.NewError(abi.CodeStoreCorrupt, message,
		"another program changed the store: put a backup in its place, or undo the change with that program").WithDetail(where)
}
