package apps

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

// The picture of the reads of some days: a column for each, today's at the right end.
const (
	daysWidth  = 720
	daysHeight = 24
	dayWidth   = daysWidth / grants.DaysShown
)

// grounds are the days, whether anything was read on them or not.
func grounds() string {
	var b strings.Builder
	for n := range grants.DaysShown {
		column(&b, n, 1)
	}
	return b.String()
}

// columns are as high as there were reads, the most of a day being the whole height.
func columns(days []grants.Day, now time.Time) string {
	most, today := int64(1), now.UTC().Truncate(24*time.Hour)
	for _, d := range days {
		most = max(most, d.Reads)
	}
	var b strings.Builder
	for _, d := range days {
		at, err := time.Parse(time.DateOnly, d.Date)
		n := grants.DaysShown - 1 - int(today.Sub(at)/(24*time.Hour))
		if err != nil || n < 0 || n >= grants.DaysShown {
			continue
		}
		column(&b, n, max(2, int(daysHeight*d.Reads/most)))
	}
	return b.String()
}

func column(b *strings.Builder, n, height int) {
	b.WriteString("M" + strconv.Itoa(n*dayWidth+1) + " " + strconv.Itoa(daysHeight+1) + "v-" + strconv.Itoa(height) + "h" + strconv.Itoa(dayWidth-2) + "v" + strconv.Itoa(height) + "z")
}

func readsIn(days []grants.Day) (n int64) {
	for _, d := range days {
		n += d.Reads
	}
	return n
}
