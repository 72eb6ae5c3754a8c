package output

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table writes rows in columns under a header. Cells are cleaned. On a terminal
// the last column is cut to the width.
func Table(w io.Writer, s Style, header []string, rows [][]string) {
	widths := make([]int, len(header))
	for i, h := range header {
		widths[i] = utf8.RuneCountInString(h)
	}
	for _, row := range rows {
		for i := range row {
			row[i] = Clean(row[i])
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	upper := make([]string, len(header))
	for i, h := range header {
		upper[i] = strings.ToUpper(h)
	}
	fmt.Fprintln(w, s.Dim(join(s, upper, widths)))
	for _, row := range rows {
		fmt.Fprintln(w, join(s, row, widths))
	}
}

func join(s Style, cells []string, widths []int) string {
	var b strings.Builder
	used := 0
	for i, cell := range cells {
		if i == len(cells)-1 {
			if s.Width > 0 {
				cell = Cut(cell, max(s.Width-used, 8))
			}
			b.WriteString(cell)
			break
		}
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		used += widths[i] + 2
	}
	return strings.TrimRight(b.String(), " ")
}
