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
		"a,b\n1\n1,2,3\n,\n\"\"\n":              "1| 1|2 | |",
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
	r := csv.New(strings.NewReader("a,b\n1,2\n" + strings.Repeat("x", csv.RowBytes+1) + ",2\n3\n4" + strings.Repeat(",", 2*csv.Fields) + "\n"))
	var got []string
	for r.Next() {
		got = append(got, r.Get("a"))
	}
	if want := []string{"1", "3", "4"}; !slices.Equal(got, want) || r.Large() != 1 || r.Uneven() != 2 || r.Err() != nil {
		t.Errorf("got %q, %d large, %d uneven, %v, want %q, 1, 2 and no error", got, r.Large(), r.Uneven(), r.Err(), want)
	}
	if !r.Has("b") || r.Has("c") {
		t.Error("Has does not tell the columns that are there from others")
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
		// A return at the end of the text, and text that is not UTF-8, are their own matter.
		if err != nil || strings.HasSuffix(s, "\r") || !utf8.ValidString(s) {
			return
		}
		if r.Err() != nil || len(got) != len(want)-1 {
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
