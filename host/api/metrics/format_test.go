package metrics

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sample is one line of figures.
type sample struct {
	name, labels string // with its suffix; as they stand in the braces
	value        float64
}

var (
	helpLine   = regexp.MustCompile(`^# HELP ([a-z_]+) \S.*$`)
	typeLine   = regexp.MustCompile(`^# TYPE ([a-z_]+) (counter|gauge|histogram)$`)
	sampleLine = regexp.MustCompile(`^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? (\S+)$`)
)

// parse reads the text form of Prometheus, as strictly as its description: each family is
// together, behind its help and its type, no series comes twice, and a histogram's buckets grow
// up to its count.
func parse(t *testing.T, text string) (all []sample) {
	t.Helper()
	seen, families := map[string]bool{}, map[string]string{}
	family, helped := "", ""
	last := map[string]float64{} // of a histogram's buckets, by labels but le
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line does not end")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := helpLine.FindStringSubmatch(line); m != nil {
			helped = m[1]
			continue
		}
		if m := typeLine.FindStringSubmatch(line); m != nil {
			if family = m[1]; helped != family || families[family] != "" {
				t.Errorf("%s: got its type behind the help of %s, want it once behind its own", family, helped)
			}
			families[family] = m[2]
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("got the line %q, want a sample", line)
			continue
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		s := sample{m[1], m[2], value}
		own := s.name == family
		if families[family] == "histogram" {
			rest := strings.TrimPrefix(s.name, family)
			own = rest == "_bucket" || rest == "_sum" || rest == "_count"
			labels, bound, _ := strings.Cut(s.labels, `,le=`)
			switch {
			case rest == "_bucket" && value < last[labels]:
				t.Errorf("%s: got fewer than the bucket before", line)
			case rest == "_bucket":
				last[labels] = value
			case rest == "_count" && value != last[labels]:
				t.Errorf("%s: got another count than that of the last bucket %v %s", line, last[labels], bound)
			}
		}
		if !own || seen[s.name+"{"+s.labels] {
			t.Errorf("%s: it stands behind the type of %s, or comes twice", line, family)
		}
		seen[s.name+"{"+s.labels] = true
		all = append(all, s)
	}
	return all
}

var (
	labelOf = regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`)
	unit    = regexp.MustCompile(`_(seconds|bytes|info|ready|workers|running|open|length|channels|connections|watchers)$`)
)

// OC-11: names follow the conventions of Prometheus: the prefix is the program's, a counter
// ends in _total, and what has a unit says it, in the base unit.
func TestNamesFollowTheConventions(t *testing.T) {
	t.Parallel()
	before := ""
	for _, f := range Names() {
		rest, total := strings.CutSuffix(f.Name, "_total")
		switch {
		case !strings.HasPrefix(f.Name, "pdpp_host_") || f.Name <= before:
			t.Errorf("%s: got it without the prefix, or behind %s", f.Name, before)
		case total != (f.Kind == Counter):
			t.Errorf("%s: got a %s, want one that ends in _total to be a counter, and no other", f.Name, f.Kind)
		case !total && !unit.MatchString(rest):
			t.Errorf("%s: got no unit and no noun that is counted", f.Name)
		case f.Help == "" || strings.ContainsAny(f.Help, "\n\\"):
			t.Errorf("%s: got the help %q, want one line", f.Name, f.Help)
		}
		before = f.Name
	}
}
