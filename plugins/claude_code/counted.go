package main

import "strconv"

// counted returns a number with its noun and verb: "1 line is", "2 lines are".
func counted(n int64, one, many string) string {
	if n == 1 {
		many = one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
