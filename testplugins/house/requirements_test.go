package house_test

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// requirement is one row of docs/requirements.md.
type requirement struct {
	scenarios int
	text      string
	state     string
}

var requirementRow = regexp.MustCompile(`(?m)^\| ([A-Z]{2}-[A-Z]?\d+) \| (\d+) \| (.*) \| (\w+) \|$`)

func readRequirements(t *testing.T, text string) map[string]requirement {
	t.Helper()
	rows := make(map[string]requirement)
	for _, m := range requirementRow.FindAllStringSubmatch(text, -1) {
		if _, twice := rows[m[1]]; twice {
			t.Errorf("%s has two rows", m[1])
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		rows[m[1]] = requirement{n, m[3], m[4]}
	}
	return rows
}

// unbacked says what is wrong with a row's state; "" when tests back it. A requirement with
// scenarios is done when tests name each of them: the id of the whole says nothing of a part.
func unbacked(id string, r requirement, named map[string]string) string {
	var with, without []string
	for i := range r.scenarios {
		scenario := fmt.Sprintf("%s.%d", id, i+1)
		if named[scenario] != "" {
			with = append(with, scenario)
		} else {
			without = append(without, scenario)
		}
	}
	if r.scenarios == 0 && named[id] == "" {
		without = append(without, id)
	}
	switch r.state {
	case "open":
		return ""
	case "partly":
		if named[id] != "" || len(with) > 0 {
			return ""
		}
		return "is partly done, and no test names it or a scenario of it"
	case "done":
		if len(without) == 0 {
			return ""
		}
		return "is done, and no test names " + strings.Join(without, ", ")
	default:
		return "has the unknown state " + r.state
	}
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	text := read(t, "docs/requirements.md")
	rows, named := readRequirements(t, text), namedIDs(t)
	for id, row := range rows {
		if len(strings.Fields(row.text)) < 4 {
			t.Errorf("%s says nothing", id)
		}
		if wrong := unbacked(id, row, named); wrong != "" {
			t.Errorf("%s %s", id, wrong)
		}
		if partly := row.state == "partly"; partly != strings.Contains(text, "\n- "+id+":") {
			t.Errorf("%s: what is left is told exactly for rows that are partly done", id)
		}
	}
}

// A test can only name what exists: a mistyped id would back nothing.
func TestNoTestNamesAnUnknownID(t *testing.T) {
	t.Parallel()
	rows := readRequirements(t, read(t, "docs/requirements.md"))
	for id, file := range namedIDs(t) {
		whole, number, scenario := strings.Cut(id, ".")
		row, ok := rows[whole]
		n, _ := strconv.Atoi(number)
		if !ok || scenario && (n < 1 || n > row.scenarios) {
			t.Errorf("%s names %s, which does not exist", file, id)
		}
	}
}

var (
	attackRow = regexp.MustCompile(`(?m)^\| .* \| (.* of .*) \|$`)
	attackOf  = regexp.MustCompile("((?:`\\w+`(?:, )?)+) of ([\\w/]+)")
)

// Each attack that docs/requirements.md lists is tried by a test that is there.
func TestAttacksAreTried(t *testing.T) {
	t.Parallel()
	_, list, found := strings.Cut(read(t, "docs/requirements.md"), "## Attacks on readers' faces")
	files, rows := projectFiles(t), attackRow.FindAllStringSubmatch(list, -1)
	if !found || len(rows) < 17 {
		t.Errorf("%d attacks are listed, want the 17 of the contract at least", len(rows))
	}
	for _, row := range rows {
		for _, of := range attackOf.FindAllStringSubmatch(row[1], -1) {
			var text strings.Builder
			for _, file := range files {
				if path.Dir(file) == of[2] && isTest(file) {
					text.WriteString(read(t, file))
				}
			}
			for name := range strings.SplitSeq(strings.Trim(of[1], "`"), "`, `") {
				if !strings.Contains(text.String(), "func "+name+"(") {
					t.Errorf("%s has no test %s", of[2], name)
				}
			}
		}
	}
}

func TestUnbacked(t *testing.T) {
	t.Parallel()
	const id = "XX-01"
	for name, c := range map[string]struct {
		scenarios int
		state     string
		named     []string
		backed    bool
	}{
		"open":                          {2, "open", nil, true},
		"done, unnamed":                 {2, "done", nil, false},
		"done, one scenario of two":     {2, "done", []string{id + ".1"}, false},
		"done, both":                    {2, "done", []string{id + ".1", id + ".2"}, true},
		"done, the whole":               {2, "done", []string{id}, false},
		"done, the whole and one":       {2, "done", []string{id, id + ".2"}, false},
		"done, without scenarios":       {0, "done", nil, false},
		"done, named without scenarios": {0, "done", []string{id}, true},
		"partly, one of two":            {2, "partly", []string{id + ".2"}, true},
		"partly, the whole":             {2, "partly", []string{id}, true},
		"partly, unnamed":               {2, "partly", []string{id + ".3"}, false},
		"mistyped":                      {2, "finished", []string{id}, false},
	} {
		named := make(map[string]string)
		for _, n := range c.named {
			named[n] = "x_test.go"
		}
		if wrong := unbacked(id, requirement{c.scenarios, "", c.state}, named); (wrong == "") != c.backed {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}
