package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxProgram bounds the instructions of all regular expressions of one schema, about
// 40 bytes each: counted repeats multiply, so a short text can be huge.
const maxProgram = 64 << 10

// regexps compiles a schema's regular expressions (RE2: linear in the text)
// within one bound.
type regexps struct {
	used int
	done map[string]*program
}

// program is one regular expression and its size in instructions.
type program struct {
	*regexp.Regexp
	size int
}

var errRegexpSize = errors.New("the regular expressions are too large")

// compile implements the library's RegexpEngine.
func (r *regexps) compile(text string) (jsonschema.Regexp, error) {
	if p := r.done[text]; p != nil {
		return p, nil
	}
	if len(text) > maxProgram {
		return nil, errRegexpSize
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	size := expanded(tree)
	if size > maxProgram-r.used {
		return nil, errRegexpSize
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	if r.done == nil {
		r.done = map[string]*program{}
	}
	p := &program{re, size}
	r.used += size
	r.done[text] = p
	return p, nil
}

// expanded estimates the instructions of a parsed expression, saturating.
func expanded(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += expanded(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<40)
}
