package output

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// Clean removes control and formatting characters, so that text of a stranger can
// neither move the cursor nor forge a line.
func Clean(s string) string { return words.Clean(s) }

// EscapeJSON writes the characters of JSON texts that a terminal would act on, or
// that turn the direction of a line, as JSON escapes: the value stays the same. Line
// ends stay.
func EscapeJSON(s string) string {
	var b bytes.Buffer
	for _, r := range s {
		escape(&b, r)
	}
	return b.String()
}

// harmless reports whether a terminal shows a character and does nothing else: blanks of other scripts
// are among them, and the joiners of letters and of pictures.
func harmless(r rune) bool {
	return r == '\n' || r == '\t' || unicode.IsGraphic(r) || r == '\u200c' || r == '\u200d'
}

// escape writes a character as a terminal may show it.
func escape(b *bytes.Buffer, r rune) {
	switch {
	case harmless(r):
		b.WriteRune(r)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

func lines(s string) []string {
	all := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i := range all {
		all[i] = Clean(all[i])
	}
	return all
}

// Cut shortens s to at most width runes, the last one an ellipsis.
func Cut(s string, width int) string { return words.Cut(s, width) }

// CutName shortens the name of a file to at most width runes, in its middle.
func CutName(s string, width int) string { return words.CutName(s, width) }

// Count writes a number with thin groups of three: 18 204.
func Count(n int64) string { return words.Count(n) }

// Plural writes a count with its noun: "1 record", "2 records".
func Plural(n int64, one string) string { return words.Plural(n, one) }

// Bytes writes a size for people, in decimal units: 212 MB.
func Bytes(n int64) string { return words.Bytes(n) }

// Binary writes a limit in binary units: 256 MiB.
func Binary(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for n >= 1024 && n%1024 == 0 && i < len(units)-1 {
		n, i = n/1024, i+1
	}
	return fmt.Sprintf("%d %s", n, units[i])
}

// Seconds writes how long something took: 8.6 s, 2 min 5 s, 1 h 3 min.
func Seconds(d time.Duration) string {
	switch {
	case d < time.Minute-50*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	default:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	}
}

// ShortHash writes the two ends of a hash: 3f1c…9a.
func ShortHash(h string) string { return words.ShortHash(h) }

// Timestamp writes a time for people, to the second, in UTC.
func Timestamp(t time.Time) string { return words.Timestamp(t) }

// Tilde shortens a path below the home folder, for people.
func Tilde(home, path string) string { return words.Tilde(home, path) }
