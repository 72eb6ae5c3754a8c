package tutorial

import (
	"fmt"
	"regexp"
	"strings"
)

// Step is a file that the page writes, or commands that it has its reader type.
type Step struct {
	File string   // its name; "": the step is commands
	Text string   // of the file, or the commands
	Says []string // what the commands print: lines, each a part of one line or all of it
	Line int      // in the page
}

// named finds the name with which a paragraph begins.
var named = regexp.MustCompile("^`([^`]+)`")

// Read reads the steps of a page.
func Read(page string) ([]Step, error) {
	var steps []Step
	name, fence, body, from, paragraph := "", "", "", 0, true
	for i, line := range strings.Split(page, "\n") {
		mark, isFence := strings.CutPrefix(line, "```")
		switch {
		case fence != "" && isFence: // the end of one
			switch _, kind, _ := strings.Cut(fence, " "); {
			case kind == "file" && name == "":
				return nil, fmt.Errorf("line %d: got a file without a name, want one at the beginning of the paragraph before it", from)
			case kind == "file":
				steps = append(steps, Step{File: name, Text: body, Line: from})
				name = ""
			case kind == "run":
				steps = append(steps, Step{Text: body, Line: from})
			case fence == "text":
				if len(steps) == 0 || steps[len(steps)-1].File != "" {
					return nil, fmt.Errorf("line %d: got an output without commands, want it behind some", from)
				}
				steps[len(steps)-1].Says = strings.Split(strings.TrimSuffix(body, "\n"), "\n")
			}
			fence = ""
		case fence != "":
			body += line + "\n"
		case isFence:
			fence, body, from = mark, "", i+1
		case paragraph && named.MatchString(line):
			name = named.FindStringSubmatch(line)[1]
		}
		paragraph = line == ""
	}
	return steps, nil
}

// Shows reports whether the output has the lines, in their order, and returns the first that
// it lacks.
func Shows(output string, lines []string) (missing string, ok bool) {
	rest := strings.Split(output, "\n")
	for _, want := range lines {
		form := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*") + "$")
		i := 0
		for i < len(rest) && !form.MatchString(rest[i]) {
			i++
		}
		if i == len(rest) {
			return want, false
		}
		rest = rest[i+1:]
	}
	return "", true
}
