package house_test

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// scenarioCounts is the specification's catalogue: for each area the number of
// scenarios of its first, second, ... requirement.
var scenarioCounts = map[string][]int{
	"RT": {4, 3, 2, 2, 2, 1, 2, 2, 2, 5, 3, 3, 2, 2, 5, 4, 2, 2, 4, 3, 2, 2, 2, 1, 4, 3, 2},
	"HL": {2, 2, 2, 3, 3, 2, 2, 3, 2, 1, 3, 2, 3, 4, 5, 4, 4, 7, 3, 4, 2, 5, 14, 2, 3, 3, 4, 2, 3, 2, 2},
	"LC": {2, 2, 2, 2, 2, 2, 4, 5, 6},
}

// ownCounts are the requirements of the second half, in ids of our own: for each area
// the number of scenarios of its requirements so far.
var ownCounts = map[string][]int{
	"OC": {3, 1, 3, 3, 2, 1, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 4, 6},
	"FL": {2, 0, 0, 0, 0},
	"BR": {4, 4, 0, 2, 0, 0, 6, 5, 0, 0, 0, 0, 7, 0, 0, 0, 0, 2, 0, 0},
}

// readCounts are the requirements of readers that are begun, with their numbers of
// scenarios: not all of their numbers are used.
var readCounts = map[string]int{
	"RD-01": 5, "RD-02": 6, "RD-03": 3, "RD-04": 3, "RD-05": 4, "RD-06": 3, "RD-07": 0, "RD-08": 0, "RD-09": 5, "RD-10": 3, "RD-11": 3, "RD-12": 4, "RD-22": 6, "RD-26": 7, "RD-13": 0, "RD-14": 2, "RD-15": 5, "RD-16": 6, "RD-17": 4, "RD-18": 6, "RD-19": 0, "RD-20": 3, "RD-21": 0, "RD-23": 12, "RD-24": 0, "RD-27": 8, "RD-29": 3, "RD-34": 5, "RD-48": 4, "RD-25": 2,
	"RD-30": 4, "RD-31": 3, "RD-32": 5, "RD-33": 0, "RD-36": 4, "RD-38": 2, "RD-39": 4, "RD-41": 2, "RD-42": 5, "RD-43": 4, "RD-44": 5, "RD-49": 0, "RD-50": 0, "RD-54": 0, "RD-58": 3, "RD-59": 7, "RD-57": 0, "RD-35": 2, "RD-45": 3, "RD-46": 3, "RD-47": 3, "RD-56": 3, "RD-51": 4, "RD-53": 4, "RD-55": 1,
}

// decisions and checks of the provider budget, which have no scenarios.
const (
	budgetDecisions = 11
	budgetChecks    = 10
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

// catalogue returns every requirement id with its number of scenarios.
func catalogue() map[string]int {
	ids := make(map[string]int)
	for _, areas := range []map[string][]int{scenarioCounts, ownCounts} {
		for area, counts := range areas {
			for i, n := range counts {
				ids[fmt.Sprintf("%s-%02d", area, i+1)] = n
			}
		}
	}
	maps.Copy(ids, readCounts)
	for i := range budgetDecisions {
		ids["PB-D"+strconv.Itoa(i+1)] = 0
	}
	for i := range budgetChecks {
		ids["PB-A"+strconv.Itoa(i+1)] = 0
	}
	return ids
}

// idsIn matches a requirement's or a scenario's id where it stands alone.
var idsIn = regexp.MustCompile(`\b(?:(?:RT|HL|LC|OC|FL|BR|RD)-\d\d(?:\.\d+)?|PB-[AD]\d+)\b`)

// namedIDs returns the ids that the tests and testscript stories carry.
func namedIDs(t *testing.T) map[string]bool {
	t.Helper()
	named := make(map[string]bool)
	for _, file := range projectFiles(t) {
		if isTest(file) || strings.HasSuffix(file, ".txtar") {
			for _, id := range idsIn.FindAllString(read(t, file), -1) {
				named[id] = true
			}
		}
	}
	return named
}

// unbacked says what is wrong with a row's state; "" when tests back it.
func unbacked(id string, r requirement, named map[string]bool) string {
	var with, without []string
	for i := range r.scenarios {
		scenario := fmt.Sprintf("%s.%d", id, i+1)
		if named[scenario] {
			with = append(with, scenario)
		} else {
			without = append(without, scenario)
		}
	}
	switch r.state {
	case "open":
		return ""
	case "partly":
		if named[id] || len(with) > 0 {
			return ""
		}
		return "is partly done, and no test names it or a scenario of it"
	case "done":
		if named[id] || len(with) > 0 && len(without) == 0 {
			return ""
		}
		return "is done, and no test names it or " + strings.Join(without, ", ")
	default:
		return "has the unknown state " + r.state
	}
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	text := read(t, "docs/requirements.md")
	rows, named, ids := readRequirements(t, text), namedIDs(t), catalogue()
	for id, scenarios := range ids {
		row, ok := rows[id]
		switch {
		case !ok:
			t.Errorf("docs/requirements.md has no row for %s", id)
			continue
		case row.scenarios != scenarios:
			t.Errorf("%s has %d scenarios, and its row says %d", id, scenarios, row.scenarios)
		case len(strings.Fields(row.text)) < 4:
			t.Errorf("%s says nothing", id)
		}
		if wrong := unbacked(id, row, named); wrong != "" {
			t.Errorf("%s %s", id, wrong)
		}
		if partly := row.state == "partly"; partly != strings.Contains(text, "\n- "+id+":") {
			t.Errorf("%s: what is left is told exactly for rows that are partly done", id)
		}
	}
	for id := range rows {
		if _, ok := ids[id]; !ok {
			t.Errorf("%s is no requirement", id)
		}
	}
}

// A test can only name what exists: a mistyped id would back nothing.
func TestNoTestNamesAnUnknownID(t *testing.T) {
	t.Parallel()
	ids := catalogue()
	for id := range namedIDs(t) {
		whole, number, scenario := strings.Cut(id, ".")
		count, ok := ids[whole]
		n, _ := strconv.Atoi(number)
		if !ok || scenario && (n < 1 || n > count) {
			t.Errorf("a test names %s, which does not exist", id)
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

func TestCatalogue(t *testing.T) {
	t.Parallel()
	requirements, scenarios := 0, 0
	for _, counts := range scenarioCounts {
		requirements += len(counts)
		for _, n := range counts {
			scenarios += n
		}
	}
	if requirements != 67 || scenarios != 201 || len(catalogue()) != 88+len(ownCounts["OC"])+len(ownCounts["FL"])+len(ownCounts["BR"])+len(readCounts) {
		t.Errorf("%d requirements, %d scenarios, %d ids", requirements, scenarios, len(catalogue()))
	}
}

func TestUnbacked(t *testing.T) {
	t.Parallel()
	const id = "X" + "X-01" // no real id, since every id in a test counts as named
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
		"done, the whole":               {2, "done", []string{id}, true},
		"done, without scenarios":       {0, "done", nil, false},
		"done, named without scenarios": {0, "done", []string{id}, true},
		"partly, one of two":            {2, "partly", []string{id + ".2"}, true},
		"partly, unnamed":               {2, "partly", []string{id + ".3"}, false},
		"mistyped":                      {2, "finished", []string{id}, false},
	} {
		named := make(map[string]bool)
		for _, n := range c.named {
			named[n] = true
		}
		if wrong := unbacked(id, requirement{c.scenarios, "", c.state}, named); (wrong == "") != c.backed {
			t.Errorf("%s: %q", name, wrong)
		}
	}
	if got := idsIn.FindAllString("H"+"L-01.2, xR"+"T-01 and PB"+"-D3x", -1); !slices.Equal(got, []string{"H" + "L-01.2"}) {
		t.Errorf("ids = %q", got)
	}
}
