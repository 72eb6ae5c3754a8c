package timezone

import (
	"archive/zip"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write zones.txt and windows.txt from the database of this Go release")

// TestTable writes the table with -update. Without it, the table has the form that parse reads.
// A new table raises formatSeed and cursorVersion of plugins/calendar_files.
func TestTable(t *testing.T) {
	t.Parallel()
	if *update {
		write(t, "zones.txt", table(t))
		write(t, "windows.txt", windowsNames(t))
		return
	}
	line := regexp.MustCompile(`^( [A-Za-z0-9_+/-]+)+\t-?[0-9]+(,-?[0-9]+)* ([A-Z][0-9a-z]+)*( !| [0-9]{4}( [0-9]+\.[0-9]+\.[0-6]\.-?[0-9]+\.[A-Z]){2})?\n$`)
	n := 0
	for text := range strings.Lines(zones) {
		n++
		if !line.MatchString(text) {
			t.Errorf("line %q is not of the form %s", text, line)
		}
	}
	if n < 150 || len(zones) > 45_000 {
		t.Errorf("%d lines and %d bytes, want all zones in at most 45,000 bytes", n, len(zones))
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil { //nolint:gosec // a source file
		t.Fatal(err)
	}
}

// table makes the table.
func table(t *testing.T) string {
	t.Helper()
	names, known := map[string]string{}, map[string]string{} // data -> names, file -> data
	for name, raw := range database(t) {
		where, err := time.LoadLocationFromTZData(name, raw)
		if err != nil {
			t.Fatal(err)
		}
		data, ok := known[string(raw)]
		if !ok {
			data = dataOf(where)
			known[string(raw)] = data
		}
		names[data] += " " + name
	}
	var lines []string
	for data, its := range names {
		sorted := strings.Fields(its)
		slices.Sort(sorted)
		lines = append(lines, " "+strings.Join(sorted, " ")+"\t"+data+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// database returns the files of the database of this Go release: the machine has one of another
// date.
func database(t *testing.T) map[string][]byte {
	t.Helper()
	db, err := zip.OpenReader(filepath.Join(goroot(t), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := map[string][]byte{}
	for _, f := range db.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if all[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// goroot returns where the Go release is: go test puts its command in front of the others.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func offsetIn(where *time.Location, utc int64) int64 {
	_, offset := time.Unix(utc, 0).In(where).Zone()
	return int64(offset)
}

// changesOf finds the changes between two instants.
func changesOf(where *time.Location, from, to int64) []change {
	var list []change
	last, offset := from, offsetIn(where, from)
	for at := from; at < to; at += 86400 {
		if now := offsetIn(where, at); now != offset {
			low, high := last, at
			for high-low > 1 {
				if mid := (low + high) / 2; offsetIn(where, mid) == offset {
					low = mid
				} else {
					high = mid
				}
			}
			list = append(list, change{high, now})
			offset = now
		}
		last = at
	}
	return list
}

// dataOf writes the data of a zone.
func dataOf(where *time.Location) string {
	first := offsetIn(where, start)
	changes := changesOf(where, start, limit)
	offsets := []int64{first}
	letter := func(offset int64) string {
		i := slices.Index(offsets, offset)
		if i < 0 {
			i = len(offsets)
			offsets = append(offsets, offset)
		}
		return string(rune('A' + i))
	}
	z := &Zone{first: first, changes: changes}
	tail := ""
	if late := changesOf(where, limit-8*366*86400, limit); len(late) > 0 {
		if z.rules = rulesOf(where); z.rules == nil {
			tail = " !"
		} else {
			z.from = 2038
			for z.from > 1991 && z.yearFits(where, z.from-1) {
				z.from--
			}
			for i, c := range changes {
				if time.Unix(c.at, 0).UTC().Year() >= z.from {
					changes = changes[:i]
					break
				}
			}
			tail = " " + strconv.Itoa(z.from)
			for _, r := range z.rules {
				tail += fmt.Sprintf(" %d.%d.%d.%d.%s", r.month, r.day, r.weekday, r.clock/minute, letter(r.offset))
			}
		}
	}
	text, at := "", int64(start)
	for _, c := range changes {
		text += letter(c.offset) + strconv.FormatInt((c.at-at)/minute, 36)
		at += (c.at - at) / minute * minute
	}
	var head []string
	for _, offset := range offsets {
		head = append(head, strconv.FormatInt(offset/minute, 10))
	}
	return strings.Join(head, ",") + " " + text + tail
}

// rulesOf fits the rules of a zone to the 28 years behind the table, in which each date falls on
// each weekday.
func rulesOf(where *time.Location) []rule {
	type seen struct {
		month    time.Month
		weekday  time.Weekday
		clock    int64
		low, top int
		offset   int64
		n        int
	}
	found := map[int64]*seen{}
	from := time.Date(2038, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	before := offsetIn(where, from)
	for _, c := range changesOf(where, from, from+10227*86400) {
		wall := time.Unix(c.at+before, 0).UTC()
		s := found[c.offset]
		if s == nil {
			s = &seen{wall.Month(), wall.Weekday(), int64(wall.Hour()*3600 + wall.Minute()*60 + wall.Second()), wall.Day(), wall.Day(), c.offset, 0}
			found[c.offset] = s
		}
		s.low, s.top = min(s.low, wall.Day()), max(s.top, wall.Day())
		s.n++
		if s.month != wall.Month() || s.weekday != wall.Weekday() || s.clock != int64(wall.Hour()*3600+wall.Minute()*60+wall.Second()) {
			return nil
		}
		before = c.offset
	}
	var rules []rule
	for _, s := range found {
		if s.n != 28 || s.top-s.low != 6 {
			return nil
		}
		rules = append(rules, rule{s.month, s.low, s.weekday, s.clock, s.offset})
	}
	if len(rules) != 2 {
		return nil
	}
	slices.SortFunc(rules, func(a, b rule) int { return int(a.month - b.month) })
	return rules
}

// yearFits reports whether the rules give the changes of a year.
func (z *Zone) yearFits(where *time.Location, year int) bool {
	from := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	to := time.Date(year+1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	var want []change
	before := z.rules[len(z.rules)-1].offset
	first := before
	for _, r := range z.rules {
		want = append(want, change{r.onset(year) - before, r.offset})
		before = r.offset
	}
	return offsetIn(where, from) == first && slices.Equal(changesOf(where, from, to), want)
}

// windowsNames makes the table of Windows' names, of the file in which Go has it, which is made
// from the CLDR.
func windowsNames(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(goroot(t), "src", "time", "zoneinfo_abbrs_windows.go"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range regexp.MustCompile(`(?m)^\s+"([^"]+)":\s+\{.*\}, +// (\S+)$`).FindAllStringSubmatch(string(raw), -1) {
		lines = append(lines, m[1]+"="+m[2]+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}
