package contentline

import (
	"fmt"
	"testing"
)

func TestContentLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, name, cn, value string }{
		{"SUMMARY:Lunch: at noon; maybe", "SUMMARY", "", "Lunch: at noon; maybe"},
		{`attendee;CN="Doe; Jane: the ""Boss";role=CHAIR:mailto:jane@example.com`, "ATTENDEE", `Doe; Jane: the ""Boss`, "mailto:jane@example.com"},
		{`ATTENDEE;cn=J^'oe^'^nX^^:mailto:j@example.com`, "ATTENDEE", "J\"oe\"\nX^", "mailto:j@example.com"},
		{"DTSTART;TZID=Europe/Berlin;VALUE=DATE-TIME:20260301T090000", "DTSTART", "", "20260301T090000"},
		{"X-EMPTY:", "X-EMPTY", "", ""},
	} {
		var l Line
		if !l.Split([]byte(c.in)) {
			t.Errorf("%s: refused, want a content line", c.in)
			continue
		}
		if got := fmt.Sprint(string(l.Name), "|", l.Param("CN"), "|", string(l.Value)); got != fmt.Sprint(c.name, "|", c.cn, "|", c.value) {
			t.Errorf("%s: %s, want %s", c.in, got, fmt.Sprint(c.name, "|", c.cn, "|", c.value))
		}
	}
	for _, in := range []string{"", ":", "no colon", "A", ";X=1:v", "A;:v", "A;B:v", "A;B=\"open:v", "A B:v", "<html>", "\xff:v"} {
		var l Line
		if l.Split([]byte(in)) {
			t.Errorf("%q was read as %q, want it refused", in, l.Name)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	if got := Unescape([]byte(`a\, b\; c\\d\ne\N\x\`)); got != "a, b; c\\d\ne\n\\x\\" {
		t.Errorf("%q, want a, b; c\\d\ne\n\\x\\", got)
	}
	var list []string
	Each([]byte(`Work,Family\, close,,  ,last\`), func(s string) bool { list = append(list, s); return true })
	if got := fmt.Sprintf("%q", list); got != `["Work" "Family, close" "last\\"]` {
		t.Errorf("%v, want %v", got, `["Work" "Family, close" "last\\"]`)
	}
}

func FuzzContentLine(f *testing.F) {
	f.Add([]byte("ATTENDEE;CN=\"a;b\":mailto:x\r\n y"))
	f.Add([]byte("RRULE:FREQ=YEARLY;BYDAY=-1SU"))
	f.Fuzz(func(_ *testing.T, in []byte) {
		var l Line
		if !l.Split(in) {
			return
		}
		l.Param("CN")
		Unescape(l.Value)
		Each(l.Value, func(string) bool { return true })
	})
}
