package contentline

import (
	"fmt"
	"testing"
	"unicode/utf8"
)

func TestContentLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, name, cn, value string }{
		{"SUMMARY:Lunch: at noon; maybe", "SUMMARY", "", "Lunch: at noon; maybe"},
		{`attendee;CN="Doe; Jane: the ""Boss";role=CHAIR:mailto:jane@example.com`, "ATTENDEE", `Doe; Jane: the ""Boss`, "mailto:jane@example.com"},
		{`ATTENDEE;cn=J^'oe^'^nX^^:mailto:j@example.com`, "ATTENDEE", "J\"oe\"\nX^", "mailto:j@example.com"},
		{"DTSTART;TZID=Europe/Berlin;VALUE=DATE-TIME:20260301T090000", "DTSTART", "", "20260301T090000"},
		{"X-EMPTY:", "X-EMPTY", "", ""},
		// AC-06: blanks around names, and the bare parameters of vCalendar 1.0.
		{"BEGIN :VEVENT", "BEGIN", "", "VEVENT"},
		{"\t UID\t: a ", "UID", "", " a "},
		{"ATTENDEE ; CN = Sam Doe ;ROLE=CHAIR : mailto:x", "ATTENDEE", "Sam Doe", " mailto:x"},
		{"\xef\xbb\xbfBEGIN:VCALENDAR", "BEGIN", "", "VCALENDAR"},
		{"SUMMARY;QUOTED-PRINTABLE;CN=x:a", "SUMMARY", "x", "a"},
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
	for _, in := range []string{"", ":", "no colon", "A", ";X=1:v", "A;:v", "A;B", "A;B=x", "A;B=\"open:v", "A B:v", "A;B C:v", "<html>", "\xff:v"} {
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

// AC-06, AC-07: quoted-printable text in the encoding that its property names.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want, unknown string }{
		{"SUMMARY:as=20it is", "as=20it is", ""},
		{"SUMMARY;ENCODING=QUOTED-PRINTABLE:Gr=C3=B6=c3=9Fe=20und=0D=0Amehr", "Größe und\nmehr", ""},
		{"SUMMARY;QUOTED-PRINTABLE:a=3Db", "a=b", ""},
		{"SUMMARY;CHARSET=ISO-8859-1;ENCODING=\"quoted-printable\":Gr=F6=DFe", "Größe", ""},
		{"SUMMARY;CHARSET=windows-1251;ENCODING=QUOTED-PRINTABLE:=CF=F0", "Пр", ""},
		{"SUMMARY;ENCODING=QUOTED-PRINTABLE:Gr=F6=DFe", "Größe", "not UTF-8"},
		{"SUMMARY;CHARSET=Shift_JIS;ENCODING=QUOTED-PRINTABLE:=83e", "ƒe", "Shift_JIS"},
		{"SUMMARY;CHARSET=Shift_JIS;ENCODING=QUOTED-PRINTABLE:plain", "plain", ""},
		{"SUMMARY;ENCODING=QUOTED-PRINTABLE:100= =G1=", "100= =G1=", ""},
		{"SUMMARY;ENCODING=BASE64:R3LDtsOfZQ==", "Größe", ""},
		{"SUMMARY;ENCODING=B:R3", "R3", "B"},
		{"SUMMARY;ENCODING=8BIT:Größe", "Größe", ""},
		{"SUMMARY;ENCODING=UUENCODE:x", "x", "UUENCODE"},
	} {
		var l Line
		if !l.Split([]byte(c.in)) {
			t.Errorf("%s: refused, want a content line", c.in)
			continue
		}
		if unknown := l.Decode(); string(l.Value) != c.want || unknown != c.unknown {
			t.Errorf("%s: %q, unknown %q, want %q and %q", c.in, l.Value, unknown, c.want, c.unknown)
		}
	}
}

func FuzzContentLine(f *testing.F) {
	f.Add([]byte("ATTENDEE;CN=\"a;b\":mailto:x\r\n y"))
	f.Add([]byte("RRULE:FREQ=YEARLY;BYDAY=-1SU"))
	f.Add([]byte("SUMMARY ; QUOTED-PRINTABLE;CHARSET = windows-1251:=CF=F"))
	f.Add([]byte("\xef\xbb\xbf BEGIN :VEVENT "))
	f.Fuzz(func(t *testing.T, in []byte) {
		var l Line
		if !l.Split(in) {
			return
		}
		l.Param("CN")
		if l.Decode(); utf8.Valid(in) && !utf8.Valid(l.Value) {
			t.Errorf("%q is decoded as %q, want UTF-8", in, l.Value)
		}
		Unescape(l.Value)
		Each(l.Value, func(string) bool { return true })
	})
}
