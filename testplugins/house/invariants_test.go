package house_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const invariantCount = 13

// invariant is one section of docs/invariants.md.
type invariant struct {
	text, state  string
	sites, tests []string
}

var (
	invariantHead = regexp.MustCompile(`(?m)^## (\d+)\. (.+)$`)
	// invariantClaim is how code claims one; a list claims each of its own.
	invariantClaim = regexp.MustCompile(`\bInvariant (\d+)\b`)
)

func readInvariants(t *testing.T, text string) map[int]invariant {
	t.Helper()
	heads := invariantHead.FindAllStringSubmatchIndex(text, -1)
	out := make(map[int]invariant)
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		n, err := strconv.Atoi(text[h[2]:h[3]])
		if err != nil {
			t.Fatal(err)
		}
		section := text[h[1]:end]
		out[n] = invariant{
			text: text[h[4]:h[5]], state: field(section, "State"),
			sites: paths(field(section, "Sites")), tests: paths(field(section, "Tests")),
		}
	}
	return out
}

// field returns what follows "name: " at the start of a line.
func field(section, name string) string {
	for line := range strings.SplitSeq(section, "\n") {
		if value, ok := strings.CutPrefix(line, name+": "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func paths(list string) []string {
	if list == "" || list == "none yet" {
		return nil
	}
	return strings.Split(list, ", ")
}

// claims returns, for each invariant, the Go files and stories that claim it.
func claims(t *testing.T) (sites, tests map[int][]string) {
	t.Helper()
	sites, tests = make(map[int][]string), make(map[int][]string)
	for _, file := range projectFiles(t) {
		story := strings.HasSuffix(file, ".txtar")
		if !strings.HasSuffix(file, ".go") && !story {
			continue
		}
		to := sites
		if story || isTest(file) {
			to = tests
		}
		for _, m := range invariantClaim.FindAllStringSubmatch(read(t, file), -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(to[n], file) {
				to[n] = append(to[n], file)
			}
		}
	}
	return sites, tests
}

func TestInvariants(t *testing.T) {
	t.Parallel()
	documented := readInvariants(t, read(t, "docs/invariants.md"))
	sites, tests := claims(t)
	for n := 1; n <= invariantCount; n++ {
		v, ok := documented[n]
		if !ok {
			t.Errorf("docs/invariants.md has no section %d", n)
			continue
		}
		for _, file := range v.sites {
			if !slices.Contains(sites[n], file) {
				t.Errorf("%d: %s does not exist or does not claim Invariant %d", n, file, n)
			}
		}
		for _, file := range v.tests {
			if !slices.Contains(tests[n], file) {
				t.Errorf("%d: %s does not exist or does not name Invariant %d", n, file, n)
			}
		}
		for _, file := range sites[n] {
			if !slices.Contains(v.sites, file) {
				t.Errorf("%d: %s claims Invariant %d and is not among its sites", n, file, n)
			}
		}
		switch v.state {
		case "open":
		case "enforced":
			if len(v.sites) == 0 || len(v.tests) == 0 {
				t.Errorf("%d is enforced without a site or without a test", n)
			}
		default:
			t.Errorf("%d has the unknown state %q", n, v.state)
		}
	}
	for n := range documented {
		if n < 1 || n > invariantCount {
			t.Errorf("there is no Invariant %d", n)
		}
	}
	for _, claimed := range []map[int][]string{sites, tests} {
		for n := range maps.Keys(claimed) {
			if n < 1 || n > invariantCount {
				t.Errorf("%v claim an invariant that does not exist", claimed[n])
			}
		}
	}
}

func TestReadInvariants(t *testing.T) {
	t.Parallel()
	got := readInvariants(t, "# I\n\n## 1. First\n\nState: enforced\n\nText.\n\nSites: a.go, b/c.go\nTests: a_test.go\n\n## 2. Second\n\nState: open\n\nSites: none yet\nTests: none yet\n")
	one, two := got[1], got[2]
	if one.text != "First" || one.state != "enforced" || !slices.Equal(one.sites, []string{"a.go", "b/c.go"}) || !slices.Equal(one.tests, []string{"a_test.go"}) {
		t.Errorf("%+v", one)
	}
	if two.state != "open" || two.sites != nil || two.tests != nil || len(got) != 2 {
		t.Errorf("%+v", got)
	}
}
