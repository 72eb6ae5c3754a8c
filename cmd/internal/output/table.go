package output

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// widestPadded bounds the width of a column where nothing is cut. A longer cell runs past
// its column, so that it does not widen every other row.
const widestPadded = 40

// Table writes rows in columns under a header. Cells are cleaned. On a terminal
// they are cut to the width; elsewhere none is.
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
	shrink(widths, s.Width)
	for i := range widths {
		if s.Width <= 0 {
			widths[i] = min(widths[i], widestPadded)
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

// leastColumn is what a column keeps when the screen is too narrow for all.
const leastColumn = 9

// shrink takes from the widest columns, but not from the first, which names the
// row, until the last one has some room too: a row that wraps cannot be read.
func shrink(widths []int, width int) {
	if width <= 0 || len(widths) < 3 {
		return
	}
	for {
		used, widest := leastColumn, 1
		for i, w := range widths[:len(widths)-1] {
			used += w + 2
			if i > 0 && w > widths[widest] {
				widest = i
			}
		}
		if used <= width || widths[widest] <= leastColumn {
			return
		}
		widths[widest]--
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
		if s.Width > 0 {
			cell = Cut(cell, widths[i])
		}
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", max(widths[i]-utf8.RuneCountInString(cell), 0)+2))
		used += widths[i] + 2
	}
	return strings.TrimRight(b.String(), " ")
}
