package exports

import (
	"path"
	"strconv"
	"strings"
)

// Part is the place of an archive among those of one export, as its name says.
type Part struct {
	Of    string // what the names of its parts have in common
	N     int    // counted from 1
	Total int    // 0 where no name says
	Name  string // Of, as the name has it
}

// maxParts bounds what a name may claim.
const maxParts = 1000

// PartOf reads a name such as "takeout-20260101T000000Z-002.zip", "export-part2.zip" or
// "export 2 of 5.zip", with or without the " (1)" of a second download.
func PartOf(name string) (Part, bool) {
	base := strings.ToLower(path.Base(name))
	p, is := partOf(base)
	p.Name = p.Of
	if at := strings.Index(base, p.Of); at >= 0 && len(base) == len(path.Base(name)) { // letters may change their size
		p.Name = path.Base(name)[at : at+len(p.Of)]
	}
	return p, is
}

// partOf reads a name in small letters.
func partOf(base string) (Part, bool) {
	for _, end := range packed {
		base = strings.TrimSuffix(base, end)
	}
	if open := strings.LastIndex(base, " ("); open > 0 && strings.HasSuffix(base, ")") && digits(base[open+2:len(base)-1]) {
		base = base[:open]
	}
	base = original(base)
	front, last, width := cutNumber(base)
	if width == 0 {
		return Part{}, false
	}
	const blanks = " -_"
	if before := strings.TrimRight(front, blanks); strings.HasSuffix(before, "of") {
		before, n, width := cutNumber(strings.TrimRight(before[:len(before)-2], blanks))
		if width > 0 && n >= 1 && n <= last {
			return Part{Of: strings.TrimSuffix(strings.TrimRight(before, blanks), "part"), N: n, Total: last}, true
		}
	}
	if before := strings.TrimRight(front, blanks); strings.HasSuffix(before, "part") {
		return Part{Of: strings.TrimRight(before[:len(before)-4], blanks), N: last}, last >= 1
	}
	if of, ok := strings.CutSuffix(front, "-"); ok && width == 3 && of != "" && last >= 1 {
		return Part{Of: of, N: last}, true
	}
	return Part{}, false
}

// original returns a name without what a system puts around that of a copy, such as "Copy of" and "- Copy" in some language. It
// knows names of Google's, which have no blank.
func original(base string) string {
	const google = "takeout-"
	at := strings.LastIndex(base, " "+google) + 1
	if !strings.HasPrefix(base[at:], google) {
		return base
	}
	name, _, _ := strings.Cut(base[at:], " ")
	if _, _, width := cutNumber(name); width == 0 {
		return base
	}
	return name
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// cutNumber cuts the number at a text's end off; width is how many digits it has, 0 for none.
func cutNumber(s string) (front string, n, width int) {
	front = strings.TrimRight(s, "0123456789")
	width = len(s) - len(front)
	n, err := strconv.Atoi(s[len(front):])
	if err != nil || n > maxParts {
		return s, 0, 0
	}
	return front, n, width
}

// MissingParts notes each part that should be among the names and is not, and returns the exports that lack one, by
// what the names of their parts have in common. The highest number that is known is that of the last part where no
// name says how many there are.
func MissingParts(found Findings, names []string) (missing map[string]bool) {
	missing = make(map[string]bool)
	there := make(map[string]map[int]bool)
	most, shown := make(map[string]int), make(map[string]string)
	for _, name := range names {
		p, ok := PartOf(name)
		if !ok {
			continue
		}
		if there[p.Of] == nil {
			there[p.Of] = make(map[int]bool)
		}
		there[p.Of][p.N], shown[p.Of] = true, p.Name
		most[p.Of] = max(most[p.Of], p.N, p.Total)
	}
	for _, of := range Sorted(there) {
		for n := 1; n <= most[of]; n++ {
			if !there[of][n] {
				found.Note(PartMissing, 1, "part "+strconv.Itoa(n)+" of "+strconv.Itoa(most[of])+" is not there: "+shown[of])
				missing[of] = true
			}
		}
	}
	return missing
}
