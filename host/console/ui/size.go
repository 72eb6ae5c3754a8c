package ui

import "strconv"

// size says a number of bytes in its largest unit.
func size(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	x, i := float64(n), 0
	for x >= 1000 && i < len(units)-1 {
		x, i = x/1000, i+1
	}
	if i == 0 || x >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64) + " " + units[i]
	}
	return strconv.FormatFloat(x, 'f', 1, 64) + " " + units[i]
}

// Max is a count as a bar's maximum: a bar without one is empty.
func Max(n int64) string { return strconv.FormatInt(max(1, n), 10) }

// Int is a count as an attribute.
func Int(n int64) string { return strconv.FormatInt(n, 10) }
