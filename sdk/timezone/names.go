package timezone

import (
	_ "embed"
	"strconv"
	"strings"
	"time"
)

// zones has a line for each zone: its names, each behind a blank, and behind a tab its offsets,
// its changes, and its rules. Offsets are minutes, and named by letters from A on. The changes are
// a letter and the minutes since the one before, in base 36. A rule is its month, day, weekday,
// minute of the day and letter; "!" stands for no rule.
//
//go:embed zones.txt
var zones string

// windows has a line for each zone of Windows: its name, "=" and a name of IANA.
//
//go:embed windows.txt
var windows string

// Lookup returns the zone of a name, nil for one that is not known.
func Lookup(name string) *Zone {
	name = strings.Trim(strings.TrimSpace(name), `"`)
	name = strings.TrimPrefix(name, "tzone://Microsoft/") // of Windows' calendar
	if z := fixed(name); z != nil {
		return z
	}
	for rest := name; ; {
		if z := iana(rest); z != nil {
			return z
		}
		// The name of a registry is in front: /freeassociation.sourceforge.net/Europe/Berlin.
		at := strings.IndexByte(rest, '/')
		if at < 0 || name[0] != '/' {
			break
		}
		rest = rest[at+1:]
	}
	for line := range strings.Lines(windows) {
		if its, zone, _ := strings.Cut(strings.TrimSpace(line), "="); strings.EqualFold(its, name) {
			return iana(zone)
		}
	}
	return nil
}

// iana returns the zone of a name of the database, in any case of its letters.
func iana(name string) *Zone {
	if name == "" || strings.ContainsAny(name, " \t\n") {
		return nil
	}
	for line := range strings.Lines(zones) {
		names, data, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		for its := range strings.FieldsSeq(names) {
			if strings.EqualFold(its, name) {
				return parse(data)
			}
		}
	}
	return nil
}

// fixed returns the zone of an offset such as UTC+01:00 or GMT-0330, and UTC itself. One without
// minutes is refused: programs do not agree on the sign of GMT+1.
func fixed(name string) *Zone {
	switch strings.ToUpper(name) {
	case "Z", "UTC", "GMT", "ETC/UTC", "ETC/GMT", "ZULU":
		return &Zone{fixed: true}
	}
	rest, ok := cutPrefixFold(name, "UTC")
	if !ok {
		if rest, ok = cutPrefixFold(name, "GMT"); !ok {
			return nil
		}
	}
	if len(rest) == len("+01:00") && rest[3] == ':' {
		rest = rest[:3] + rest[4:]
	}
	if len(rest) != len("+0100") || rest[0] != '+' && rest[0] != '-' {
		return nil
	}
	n, err := strconv.ParseUint(rest[1:], 10, 16)
	if err != nil || n/100 > 14 || n%100 > 59 {
		return nil
	}
	offset := int64(n/100*60+n%100) * minute
	if rest[0] == '-' {
		offset = -offset
	}
	return &Zone{first: offset, fixed: true}
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// parse reads the data of a line, which a test holds to its form.
func parse(data string) *Zone {
	fields := strings.Split(data, " ")
	z := &Zone{}
	var offsets []int64
	for text := range strings.SplitSeq(fields[0], ",") {
		n, _ := strconv.ParseInt(text, 10, 64)
		offsets = append(offsets, n*minute)
	}
	offset := func(letter byte) int64 { return offsets[letter-'A'] }
	z.first = offsets[0]
	at := int64(start)
	for rest := fields[1]; rest != ""; {
		end := 1
		for end < len(rest) && (rest[end] < 'A' || rest[end] > 'Z') {
			end++
		}
		n, _ := strconv.ParseInt(rest[1:end], 36, 64)
		at += n * minute
		z.changes = append(z.changes, change{at, offset(rest[0])})
		rest = rest[end:]
	}
	for _, text := range fields[2:] {
		if text == "!" {
			z.ends = true
			continue
		}
		p := strings.Split(text, ".")
		if len(p) == 1 {
			z.from, _ = strconv.Atoi(text)
			continue
		}
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(p[i])
		}
		z.rules = append(z.rules, rule{time.Month(n[0]), n[1], time.Weekday(n[2]), int64(n[3]) * minute, offset(p[4][0])})
	}
	return z
}
