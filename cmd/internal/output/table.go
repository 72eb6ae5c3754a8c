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
	widths := columns(header, rows)
	shrink(widths, s.Width)
	for i := range widths {
		if s.Width <= 0 {
			widths[i] = min(widths[i], widestPadded)
		}
	}
	fmt.Fprintln(w, s.Dim(join(s, upper(header), widths)))
	for _, row := range rows {
		fmt.Fprintln(w, join(s, row, widths))
	}
}

// Wrapped is Table for cells that are to be read whole, such as commands: on a terminal a
// cell that is wider than its column goes on below itself.
func Wrapped(w io.Writer, s Style, header []string, rows [][]string) {
	if s.Width <= 0 {
		Table(w, s, header, rows)
		return
	}
	widths := columns(header, rows)
	narrow(widths, -2, s.Width)
	whole := Style{}
	fmt.Fprintln(w, s.Dim(join(whole, upper(header), widths)))
	for _, row := range rows {
		lines := make([][]string, len(row))
		tallest := 1
		for i, cell := range row {
			lines[i] = wrap(cell, widths[i])
			tallest = max(tallest, len(lines[i]))
		}
		for n := range tallest {
			cells := make([]string, len(row))
			for i := range row {
				if n < len(lines[i]) {
					cells[i] = lines[i][n]
				}
			}
			fmt.Fprintln(w, join(whole, cells, widths))
		}
	}
}

// columns cleans the cells and returns how wide each column would like to be.
func columns(header []string, rows [][]string) []int {
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
	return widths
}

func upper(header []string) []string {
	out := make([]string, len(header))
	for i, h := range header {
		out[i] = strings.ToUpper(h)
	}
	return out
}

// narrow takes from the widest columns until they fit into width beside what is used.
func narrow(columns []int, used, width int) {
	for {
		total, widest := used, 0
		for i, w := range columns {
			total += w + 2
			if w > columns[widest] {
				widest = i
			}
		}
		if total <= width || columns[widest] <= leastColumn {
			return
		}
		columns[widest]--
	}
}

// wrap breaks a cell at its spaces into lines of at most width runes; a longer word is
// broken where the line ends.
func wrap(cell string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(cell) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		rest := []rune(word)
		for ; len(rest) > width; rest = rest[width:] {
			lines = append(lines, string(rest[:width]))
		}
		line = string(rest)
	}
	return append(lines, line)
}

// leastColumn is what a column keeps when the screen is too narrow for all.
const leastColumn = 9

// shrink takes from the widest columns, but not from the first, which names the
// row, until the last one has some room too: a row that wraps cannot be read.
func shrink(widths []int, width int) {
	if width <= 0 || len(widths) < 3 {
		return
	}
	narrow(widths[1:len(widths)-1], widths[0]+2+leastColumn, width)
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
