package house_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// shared is where the specification and the contracts lie beside a checkout.
const shared = root + "/../shared"

// The specification has so many requirements and scenarios, and its budget so many decisions
// and checks, wherever the page is read.
const (
	specified, scenarios = 67, 201
	budget               = 21
)

// ownContracts are the requirements of our own, by their prefix.
var ownContracts = map[string]string{
	"OC": "console.md", "BR": "browser.md", "FL": "fleet.md", "RD": "reads.md", "AC": "accounting.md",
	"OV": "data.md", "DC": "lowcode.md", "DI": "distribution.md",
}

var (
	// contractHead begins a requirement of a contract, in one of the forms that these have.
	contractHead = regexp.MustCompile(`^(?:- |\*\*|### |- \*\*)([A-Z]{2}-\d\d)\b`)
	// numbered is a scenario on a line of its own, `- RD-01.2 ...` or `- 01.2 ...`, and inline one
	// within a sentence, `.2 ...`.
	numbered = regexp.MustCompile(`^- (?:[A-Z]{2}-)?(\d\d)\.(\d+)\b`)
	inline   = regexp.MustCompile(`(?:^| )\.(\d+) `)
)

// contractIDs returns the requirements of a contract with their numbers of scenarios.
func contractIDs(prefix, text string) map[string]int {
	ids := make(map[string]int)
	current := ""
	more := func(number string) {
		if n, err := strconv.Atoi(number); err == nil {
			ids[current] = max(ids[current], n)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if m := numbered.FindStringSubmatch(line); m != nil {
			if current == prefix+"-"+m[1] {
				more(m[2])
			}
			continue
		}
		if m := contractHead.FindStringSubmatch(line); m != nil && strings.HasPrefix(m[1], prefix+"-") {
			current = m[1]
			ids[current] += 0
		} else if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "---") {
			current = ""
		}
		if current != "" {
			for _, m := range inline.FindAllStringSubmatch(line, -1) {
				more(m[1])
			}
		}
	}
	return ids
}

// specIDs returns the requirements of the specification's catalogue.
func specIDs(t *testing.T, text []byte) map[string]int {
	t.Helper()
	var catalogue []struct {
		ID        string            `json:"id"`
		Scenarios []json.RawMessage `json:"scenarios"`
	}
	if err := json.Unmarshal(text, &catalogue); err != nil {
		t.Fatal(err)
	}
	ids := make(map[string]int)
	for _, entry := range catalogue {
		ids[entry.ID] = len(entry.Scenarios)
	}
	return ids
}

// The page has a row for each requirement of the specification and of the contracts as they are,
// with its number of scenarios, and for nothing else.
func TestRequirementsAreThoseOfTheContracts(t *testing.T) {
	t.Parallel()
	catalogue, err := os.ReadFile(filepath.Join(shared, "spec", "catalog.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the specification is not beside this checkout, in ../shared: its ids are not compared with docs/requirements.md")
	}
	if err != nil {
		t.Fatal(err)
	}
	want := specIDs(t, catalogue)
	for prefix, name := range ownContracts {
		text, err := os.ReadFile(filepath.Join(shared, "contracts", name))
		if err != nil {
			t.Fatal(err)
		}
		ids := contractIDs(prefix, string(text))
		if len(ids) == 0 {
			t.Errorf("%s has no requirement", name)
		}
		maps.Copy(want, ids)
	}
	rows := readRequirements(t, read(t, "docs/requirements.md"))
	for id, n := range want {
		row, ok := rows[id]
		if !ok {
			t.Errorf("docs/requirements.md has no row for %s", id)
		} else if row.scenarios != n {
			t.Errorf("%s has %d scenarios, and its row says %d", id, n, row.scenarios)
		}
	}
	for id := range rows {
		if _, ok := want[id]; !ok {
			t.Errorf("%s is no requirement", id)
		}
	}
}

// Where the specification is not at hand, no row of it is lost all the same.
func TestRequirementsAreWhole(t *testing.T) {
	t.Parallel()
	var requirements, parts, decisions int
	areas := map[string]int{}
	for id, row := range readRequirements(t, read(t, "docs/requirements.md")) {
		switch prefix := id[:2]; prefix {
		case "RT", "HL", "LC":
			requirements, parts = requirements+1, parts+row.scenarios
		case "PB":
			decisions++
		default:
			areas[prefix]++
		}
	}
	if requirements != specified || parts != scenarios || decisions != budget {
		t.Errorf("got %d requirements, %d scenarios and %d rows of the budget, want %d, %d and %d", requirements, parts, decisions, specified, scenarios, budget)
	}
	for prefix := range ownContracts {
		if areas[prefix] == 0 {
			t.Errorf("no row begins with %s", prefix)
		}
		delete(areas, prefix)
	}
	for prefix, n := range areas {
		t.Errorf("%d rows begin with %s, which no contract does", n, prefix)
	}
}

func TestContractIDs(t *testing.T) {
	t.Parallel()
	got := contractIDs("XX", "# Head\n- XX-01 One. .1 WHEN this, .2 that.\n**XX-02 Two [S0 XX-01].** Text\n- 02.1 first\n- 02.3 third\n"+
		"### XX-03 `GET /v1/x`\nsee YY-01 .9 \n- XX-03.1 first\n- XX-04.2 of another\n## Other\n- a .7 b\n- **XX-05 Five.** Text\n---\n.4 \n- YY-06 not ours\n")
	want := map[string]int{"XX-01": 2, "XX-02": 3, "XX-03": 9, "XX-05": 0}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for id, n := range want {
		if got[id] != n {
			t.Errorf("%s: got %d scenarios, want %d", id, got[id], n)
		}
	}
}
