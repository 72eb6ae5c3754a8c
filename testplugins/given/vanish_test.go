package given

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// AC-09: of forty calendars of one event each, half vanish and are deleted at once; more are asked about,
// and go when three runs, a day apart each, have found the same. Files that are back are collected again.
func TestSmallCalendarsThatVanishTogether(t *testing.T) {
	t.Parallel()
	const all, day = 40, 24 * time.Hour
	c := newCollector(t, "calendar_files")
	c.over(t, func() {
		for gone, asks := range map[int]bool{0: false, 1: false, all / 2: false, all/2 + 1: true, all - 1: true} {
			dir, name := filepath.Join(c.dir, fmt.Sprint(gone)), fmt.Sprintf("gone%d", gone)
			event := func(i int) string { return filepath.Join(dir, fmt.Sprintf("%02d.ics", i)) }
			write := func(i int) {
				text := fmt.Sprintf("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:%d\r\nDTSTART:20260101T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n", i)
				if err := os.WriteFile(event(i), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for i := range all {
				write(i)
			}
			c.verdict(t.Context(), t, name, dir)
			for i := range gone {
				if err := os.Remove(event(i)); err != nil {
					t.Fatal(err)
				}
			}
			runs := []time.Duration{0}
			if asks {
				runs = []time.Duration{0, day - time.Second, time.Second, day}
			}
			for n, wait := range runs {
				c.now = c.now.Add(wait)
				res, v := c.verdict(t.Context(), t, name, dir)
				want := int64(0)
				if n == len(runs)-1 {
					want = int64(gone)
				}
				for _, stream := range []string{"events", "calendars"} {
					if got := res.Records[stream].Deleted; got != want {
						t.Errorf("%d gone, run %d: %d %s deleted, want %d; gaps %+v", gone, n, got, stream, want, res.KnownGaps)
					}
				}
				if asked, last := len(res.KnownGaps) > 0, n == len(runs)-1; asked == last || last != (v.Pill.Tone == "green") {
					t.Errorf("%d gone, run %d: %s, gaps %+v, want a question and no green until they are gone", gone, n, v.Pill.Tone, res.KnownGaps)
				}
			}
			for i := range gone {
				write(i)
			}
			res, _ := c.verdict(t.Context(), t, name, dir)
			if got := res.Records["events"].Upserted + res.Records["calendars"].Upserted; got != int64(2*gone) {
				t.Errorf("%d gone and back: %d records written, want %d", gone, got, 2*gone)
			}
		}
	})
}
