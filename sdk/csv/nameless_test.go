package csv_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/csv"
)

// AC-06: a first row that is data is a row, and the columns are numbered.
func TestATableWithoutNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"7,x\n8,y\n":       "[1 2] 1:7|x 2:8|y",
		"a,b\n7,x\n":       "[a b] 2:7|x",
		"\ufeff7,x":        "[1 2] 1:7|x",
		"\n\"7\",x\n8\n":   "[1 2] 2:7|x 3:8| csv.syntax",
		"7;x;y\n8;y;z\n":   "[1 2 3] 1:7|x 2:8|y",
		"7,x\n\"8,\n9,z\n": "[1 2] 1:7|x 3:9|z csv.syntax",
		"":                 "[]",
	} {
		r := csv.New(strings.NewReader(in))
		r.Nameless(func(row []string) bool { return row[0] == "7" })
		var list []string
		for r.Next() {
			a, b := r.Get("1"), r.Get("2")
			if slices.Contains(r.Columns(), "a") {
				a, b = r.Get("a"), r.Get("b")
			}
			list = append(list, fmt.Sprintf("%d:%s|%s", r.Line(), a, b))
		}
		list = append([]string{fmt.Sprint(r.Columns())}, list...)
		if r.Err() != nil {
			list = append(list, "csv.syntax")
		}
		if got := strings.Join(list, " "); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
