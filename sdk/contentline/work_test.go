package contentline

import (
	"strings"
	"testing"
)

// A line is looked at once, however many folds and of whatever bytes it has: a look at all of it for
// each fold took minutes for a text of two megabytes.
func TestWorkIsThatOfTheBytes(t *testing.T) {
	t.Parallel()
	const lines = 3000
	const quoted = "A;ENCODING=QUOTED-PRINTABLE:"
	for name, text := range map[string]string{
		"one word":           "DESCRIPTION:" + strings.Repeat(strings.Repeat("y", 70)+"\n ", lines),
		"no value":           "DESCRIPTION;" + strings.Repeat(strings.Repeat("y", 70)+"\n ", lines),
		"blanks":             "DESCRIPTION:" + strings.Repeat(strings.Repeat(" ", 70)+"\n ", lines),
		"blanks, quoted":     quoted + strings.Repeat(strings.Repeat(" ", 70)+"\n ", lines),
		"a long BEGIN":       "BEGIN:" + strings.Repeat(strings.Repeat("Y", 70)+"\n ", lines),
		"soft breaks":        quoted + strings.Repeat(strings.Repeat("y", 70)+"=\n", lines),
		"soft breaks alone":  quoted + strings.Repeat(" ", MaxBytes/2) + strings.Repeat("=\n", lines),
		"a long head":        "A;X=" + strings.Repeat("x", MaxBytes/2) + ";QUOTED-PRINTABLE:" + strings.Repeat("y=\n", lines),
		"lines that end CR":  strings.Repeat("SUMMARY:one\r", 6*lines),
		"colons":             "A" + strings.Repeat(strings.Repeat(":y", 35)+"\n ", lines),
		"behind the cut":     "DESCRIPTION:" + strings.Repeat("y", MaxBytes) + strings.Repeat("\n y", lines),
		"held by its indent": strings.Repeat("\tBEGIN:VALARM\n", lines),
	} {
		l := NewReader(strings.NewReader(text), make([]byte, 64<<10))
		for line := l.Next(); line != nil; line = l.Next() {
			if len(line) == 0 {
				t.Errorf("%s: an empty line", name)
			}
		}
		const each = 256 // that a line of a file costs beside its bytes
		if most := 4*int64(len(text)) + int64(each*strings.Count(text, "\n")+each*strings.Count(text, "\r")); l.looked > most {
			t.Errorf("%s: looked at %d bytes of %d, want at most %d", name, l.looked, len(text), most)
		}
	}
}
