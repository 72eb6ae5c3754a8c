package main

import "strconv"

// counted says how many: "1 line is", "2 lines are".
func counted(n int64, one, many string) string {
	if n == 1 {
		many = one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
