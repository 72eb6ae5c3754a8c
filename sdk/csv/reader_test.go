package csv_test

import (
	standard "encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/csv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rows lists columns a and b of each row as a|b, and what ended the reading.
func rows(in io.Reader) string {
	r := csv.New(in)
	var list []string
	for r.Next() {
		list = append(list, r.Get("a")+"|"+r.Get("b"))
	}
	var e *abi.Error
	if errors.As(r.Err(), &e) {
		list = append(list, string(e.Code))
	} else if r.Err() != nil {
		list = append(list, r.Err().Error())
	}
	return strings.Join(list, " ")
}

func TestRowsAreReadByTheirColumns(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a,b\n1,2\n3,4\n":                       "1|2 3|4",
		"\xef\xbb\xbfb,a\r\n1,2\r\n\r\n3,4":     "2|1 4|3",
		"a,b\n\"x,\"\"y\"\"\",\"two\r\nlines\"": "x,\"y\"|two\nlines",
		"a,b\n1\n1,2,3\n,\n\"\"\n":              "1| 1|2 | | csv.syntax",
		"a,a,b\n1,2,3":                          "1|3",
		"a,b\nx\"y,z\n":                         "x\"y|z",
		"a,b\n\xff,2":                           "ÿ|2",
		"a,b\n1,\"2":                            "csv.truncated",
		"c,d\n1,2":                              "|",
		"":                                      "",
		"a,b":                                   "",
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in))} {
			if got := rows(r); got != want {
				t.Errorf("%q, %s: got %q, want %q", in, name, got, want)
			}
		}
	}
	if got := rows(io.MultiReader(strings.NewReader("a,b\n1,2\n3"), iotest.ErrReader(errors.New("lost")))); got != "1|2 lost" {
		t.Errorf("got %q, want the error of the stream", got)
	}
}

func TestRowsAreBounded(t *testing.T) {
	t.Parallel()
	r := csv.New(strings.NewReader("a,b\n1,2\n" + strings.Repeat("x", csv.RowBytes+1) + ",2\n3\n4" + strings.Repeat(",x", 2*csv.Fields) + "\n"))
	var got []string
	for r.Next() {
		got = append(got, r.Get("a"))
	}
	if want := []string{"1", "3", "4"}; !slices.Equal(got, want) || r.Large() != 1 || r.Uneven() != 2 || abi.CodeOf(r.Err()) != csv.CodeSyntax {
		t.Errorf("got %q, %d large, %d uneven, %v, want %q, 1, 2 and that they are", got, r.Large(), r.Uneven(), r.Err(), want)
	}
	if !r.Has("b") || r.Has("c") {
		t.Error("Has does not tell the columns that are there from others")
	}
}

// AC-06: a damaged row costs itself, is named with its line, and the rows around it are read.
func TestADamagedRowHidesNoNeighbour(t *testing.T) {
	t.Parallel()
	const head, behind = "a,b\n0,0\n", "8,8\n9,9\n"
	for name, c := range map[string]struct{ in, want, detail string }{
		"a quote that is never closed":            {head + "1,\"2\n" + behind, "0|0 8|8 9|9 csv.syntax", "the row in line 3"},
		"one that the next quote closes":          {head + "1,\"2\n3,\"4\"\n" + behind, "0|0 3|4 8|8 9|9 csv.syntax", "the row in line 3"},
		"one whose next quote begins a field":     {head + "1,\"2\n\"3\",4\n" + behind, "0|0 3|4 8|8 9|9 csv.syntax", "the row in line 3"},
		"two rows with one":                       {head + "1,\"2\n" + behind + "3,\"4\n" + behind, "0|0 8|8 9|9 8|8 9|9 csv.syntax", "the row in line 3; the row in line 6"},
		"a row with a field too few, and a cut":   {head + "1\n" + behind + "7,\"x\n", "0|0 1| 8|8 9|9 csv.syntax", "line 3 has 1 fields, and not 2; the end in line 6"},
		"five faults":                             {head + "1\n2\n3\n4\n5\n" + behind, "0|0 1| 2| 3| 4| 5| 8|8 9|9 csv.syntax", "line 3 has 1 fields, and not 2; line 4 has 1 fields, and not 2; line 5 has 1 fields, and not 2; and 2 more"},
		"a field of several lines, cut":           {head + "1,\"two\nlines, and\nmore\n" + "x", "0|0 lines| and csv.syntax", "the row in line 3"},
		"a field of several lines":                {head + "1,\"two\nlines\"\n" + behind, "0|0 1|two\nlines 8|8 9|9", ""},
		"quotes that are not doubled":             {head + "1,\"a \"b\" c\"\n" + behind, "0|0 1|a \"b\" c 8|8 9|9", ""},
		"text behind a quote":                     {head + "\"1\" x,2\n" + behind, "0|0 1 x|2 8|8 9|9", ""},
		"zero bytes in a row":                     {head + "1,\x00\x00\x00\n" + behind, "0|0 8|8 9|9 csv.syntax", "the row in line 3"},
		"zero bytes in front":                     {"\x00\x00" + head + behind, "0|0 8|8 9|9", ""},
		"zero bytes behind":                       {head + behind + "\x00\x00\x00", "0|0 8|8 9|9 csv.truncated", "in line 5"},
		"a row with a field too many":             {head + "1,2,3\n" + behind, "0|0 1|2 8|8 9|9 csv.syntax", "line 3 has 3 fields, and not 2"},
		"a row with a field too few":              {head + "1\n" + behind, "0|0 1| 8|8 9|9 csv.syntax", "line 3 has 1 fields, and not 2"},
		"a last row that was cut":                 {head + behind + "7", "0|0 8|8 9|9 csv.truncated", "in line 5"},
		"a last row that was cut in quotes":       {head + behind + "7,\"", "0|0 8|8 9|9 csv.truncated", "in line 5"},
		"a last row without its line's end":       {head + "8,8", "0|0 8|8", ""},
		"semicolons":                              {"a;b\n1;2,5\n", "1|2,5", ""},
		"semicolons, and a comma in a name":       {"a;b;\"c, d, e\"\n1;2;3\n", "1|2", ""},
		"tabs":                                    {"a\tb\n1\t\"2\t\"\n", "1|2\t", ""},
		"a separator that is declared":            {"sep=|\r\na|b\r\n1|2;\r\n", "1|2;", ""},
		"lines that end with a carriage return":   {"a,b\r1,2\r\"3\",\"4\r5\"\r", "1|2 3|4\r5", ""},
		"one such end within a line, which is it": {"a,b\n1,2\r3\n", "1|2\r3", ""},
	} {
		for reader, in := range map[string]io.Reader{"whole": strings.NewReader(c.in), "bytes": iotest.OneByteReader(strings.NewReader(c.in))} {
			r := csv.New(in)
			var list []string
			for r.Next() {
				list = append(list, r.Get("a")+"|"+r.Get("b"))
			}
			detail := ""
			var e *abi.Error
			if errors.As(r.Err(), &e) {
				detail, list = e.Detail, append(list, string(e.Code))
			}
			if got := strings.Join(list, " "); got != c.want || detail != c.detail {
				t.Errorf("%s, %s: got %q, %q, want %q, %q", name, reader, got, detail, c.want, c.detail)
			}
		}
	}
}

// AC-06: a text in quotes that is larger than a row may be is left out whole, and none of its lines
// becomes a row. Behind a quote that does not close, rows are found however many follow.
func TestALongTextIsNoRows(t *testing.T) {
	t.Parallel()
	const letter = "Dear Ann,\nall is well, and we came, saw, and left.\nYours\n"
	many := strings.Repeat(letter, 2*csv.RowBytes/len(letter))
	r := csv.New(strings.NewReader("a,b\n1,x\n2,\"" + many + "\"\n3,\"" + many + "\",y\n4,z\n"))
	var got []string
	for r.Next() {
		got = append(got, r.Get("a"))
	}
	if want := []string{"1", "4"}; !slices.Equal(got, want) || r.Large() != 2 || r.Damaged() != 0 || r.Err() != nil {
		t.Errorf("got %d rows, %.80q, %d large, %d damaged, %v, want %q, 2, 0 and no fault", len(got), got, r.Large(), r.Damaged(), r.Err(), want)
	}
	rows := strings.Repeat("5,\"good, day\"\n", 2*csv.RowBytes/14)
	r = csv.New(strings.NewReader("a,b\n1,\"x\n" + rows))
	n := 0
	for r.Next() {
		n++
	}
	if want := strings.Count(rows, "\n"); n != want || r.Damaged() != 1 {
		t.Errorf("behind an open quote: got %d rows and %d damaged, want %d and 1", n, r.Damaged(), want)
	}
	r = csv.New(strings.NewReader("a,b\n1,\"" + many))
	if r.Next() || r.Damaged() != 1 || abi.CodeOf(r.Err()) != csv.CodeTruncated {
		t.Errorf("a long text that does not close: got %d damaged, %v, want 1 and %s", r.Damaged(), r.Err(), csv.CodeTruncated)
	}
}

// AC-06: quotes that never close cost no more than a bound, and the rows between them are read.
func TestManyOpenQuotes(t *testing.T) {
	t.Parallel()
	const n = 200_000
	r := csv.New(strings.NewReader("a,b\n" + strings.Repeat("x,\"\"\"y\n1,2\n", n)))
	rows := 0
	for r.Next() {
		rows++
	}
	if rows != n || r.Damaged() != n || abi.CodeOf(r.Err()) != csv.CodeSyntax {
		t.Errorf("got %d rows and %d damaged ones, %v, want %d of each", rows, r.Damaged(), r.Err(), n)
	}
}

func ExampleReader() {
	r := csv.New(strings.NewReader("Channel Id,Channel Title\nUC1,\"Sea, sun\"\n"))
	for r.Next() {
		fmt.Println(r.Get("Channel Id"), r.Get("Channel Title"))
	}
	fmt.Println(r.Err())
	// Output:
	// UC1 Sea, sun
	// <nil>
}

// The oracle is encoding/csv: a text that it reads has the same rows here.
func FuzzReader(f *testing.F) {
	for _, s := range []string{"a,b\n1,2", "\"x\"\"\",\"\n\"\r\n,", "\n\na"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s += "\n" // else a short last row is one that was cut
		c := standard.NewReader(strings.NewReader("0,1,2,3\n" + s))
		c.FieldsPerRecord = -1
		want, err := c.ReadAll()
		r := csv.New(strings.NewReader("0,1,2,3\n" + s))
		var got [][]string
		for r.Next() {
			var row []string
			for i := range 4 {
				row = append(row, r.Get(strconv.Itoa(i)))
			}
			got = append(got, row)
		}
		// Text that is not UTF-8, and zero bytes, are their own matter.
		if err != nil || strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
			return
		}
		if r.Damaged() > 0 || r.Uneven() == 0 && r.Err() != nil || len(got) != len(want)-1 {
			t.Fatalf("%q: %d rows, %v, want %d and no error", s, len(got), r.Err(), len(want)-1)
		}
		for i, row := range want[1:] {
			row = append(slices.Clone(row), "", "", "", "")[:4]
			if !slices.Equal(got[i], row) {
				t.Fatalf("%q: row %d is %q, want %q", s, i, got[i], row)
			}
		}
	})
}
