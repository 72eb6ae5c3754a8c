package data

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	records "github.com/pdpp-host/pdpp-host/host/owner/data"
)

// heat counts the records of each day of a year.
type heat struct {
	year          int
	before, after int // the years with records on either side; 0: none
	days          []records.Day
	partial       bool // not all records are counted yet
}

// The picture's parts: a column a week, which begins on Monday.
const (
	step  = 13
	side  = 11
	weeks = 54
	left  = 60 // of the days, for the names of weekdays
	above = 28 // of the days, for the names of months
)

// shades are how strong a day's colour is, from no record to many.
var shades = []string{"", "0.25", "0.5", "0.75", "1"}

// label says the picture in words.
func (h *heat) label() string {
	var sum int64
	most := records.Day{}
	for _, d := range h.days {
		if sum += d.Records; d.Records > most.Records {
			most = d
		}
	}
	return words.RecordsOfDays(h.year, ui.Grouped(sum), len(h.days), ui.Grouped(most.Records), most.Date)
}

// paths draws the days, a path for each shade: a page stays small.
func (h *heat) paths() []string {
	counts, most := map[string]int64{}, int64(1)
	for _, d := range h.days {
		counts[d.Date], most = d.Records, max(most, d.Records)
	}
	drawn := make([]strings.Builder, len(shades))
	first := time.Date(h.year, 1, 1, 0, 0, 0, 0, time.UTC)
	offset := (int(first.Weekday()) + 6) % 7
	for at := first; at.Year() == h.year; at = at.AddDate(0, 0, 1) {
		n := offset + at.YearDay() - 1
		_, _ = fmt.Fprintf(&drawn[shade(counts[at.Format(time.DateOnly)], most)], "M%d %dh%dv%dh-%dz", left+n/7*step, above+n%7*step, side, side, side)
	}
	paths := make([]string, len(shades))
	for i := range drawn {
		paths[i] = drawn[i].String()
	}
	return paths
}

// mark is a name beside the days.
type mark struct{ x, y, text string }

// marks names the months, each above the week of its first day, and every other weekday. A
// screen reader has the days as a list instead.
func (h *heat) marks() []mark {
	var all []mark
	first := time.Date(h.year, 1, 1, 0, 0, 0, 0, time.UTC)
	offset := (int(first.Weekday()) + 6) % 7
	for m := time.January; m <= time.December; m++ {
		week := (offset + time.Date(h.year, m, 1, 0, 0, 0, 0, time.UTC).YearDay() - 1) / 7
		all = append(all, mark{strconv.Itoa(left + week*step), strconv.Itoa(above - 6), words.MonthsShort[m-1]})
	}
	for row := 0; row < 7; row += 2 {
		all = append(all, mark{"0", strconv.Itoa(above + row*step + side - 2), words.WeekdaysShort[row]})
	}
	return all
}

// shade is how strong a count's colour is. It grows with the logarithm, so that one busy day
// does not make all others pale.
func shade(n, most int64) int {
	if n <= 0 {
		return 0
	}
	top := len(shades) - 1
	return min(top, 1+int(float64(top)*math.Log(float64(n))/math.Log(float64(most)+1)))
}

func yearPath(year int) string { return path + "?year=" + strconv.Itoa(year) }
