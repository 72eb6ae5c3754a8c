package timezone

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Every zone agrees with the database of the Go release, from 1990 to 2099. When a new release
// makes this fail, write the table anew: go test ./sdk/timezone
// -run TestTable -update.
func TestZonesAgainstTheDatabase(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(24, 6))
	n, db := 0, database(t)
	for line := range strings.Lines(zones) {
		names, _, _ := strings.Cut(line, "\t")
		for i, name := range strings.Fields(names) {
			where, err := time.LoadLocationFromTZData(name, db[name])
			if err != nil {
				t.Errorf("%s: %v, want a zone", name, err)
				continue
			}
			z := Lookup(strings.ToLower(name))
			if z == nil {
				t.Errorf("%s: not known, want it", name)
				continue
			}
			samples := 12
			if i == 0 {
				samples = 600
			}
			for range samples {
				n++
				at := time.Date(1990, 1, 3, 0, 0, 0, 0, time.UTC).Unix() + random.Int64N(110*365*86400)
				agrees(t, name, z, where, at)
			}
		}
	}
	if n < 100_000 {
		t.Errorf("%d instants were compared, want at least 100,000", n)
	}
}

func agrees(t *testing.T, name string, z *Zone, where *time.Location, at int64) {
	t.Helper()
	_, want := time.Unix(at, 0).In(where).Zone()
	got, ok := z.Offset(at)
	if !ok && at >= 2145916800 {
		return // a zone that follows no rule
	}
	if !ok || got != int64(want) {
		t.Errorf("%s at %d: %d %v, want %d", name, at, got, ok, want)
		return
	}
	// The wall clock leads back, or to the first of two times that it shows so.
	back, ok := z.Instant(at + got)
	_, there := time.Unix(back, 0).In(where).Zone()
	if !ok || back > at || back+int64(there) != at+got {
		t.Errorf("%s at %d: the wall clock leads to %d %v", name, at, back, ok)
	}
}

func TestInstant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, wall, want string }{
		{"Europe/Berlin", "2026-01-10T10:00:00Z", "2026-01-10T09:00:00Z"},
		{"Europe/Berlin", "2026-07-10T10:00:00Z", "2026-07-10T08:00:00Z"},
		{"Europe/Berlin", "2026-03-29T02:30:00Z", "2026-03-29T01:30:00Z"}, // skipped
		{"Europe/Berlin", "2026-10-25T02:30:00Z", "2026-10-25T00:30:00Z"}, // twice
		{"europe/berlin", "1992-09-27T12:00:00Z", "1992-09-27T11:00:00Z"},
		{"W. Europe Standard Time", "2026-01-10T10:00:00Z", "2026-01-10T09:00:00Z"},
		{"\"Eastern Standard Time\"", "2026-07-10T10:00:00Z", "2026-07-10T14:00:00Z"},
		{"/freeassociation.sourceforge.net/Tzfile/America/New_York", "2026-01-10T10:00:00Z", "2026-01-10T15:00:00Z"},
		{"/mozilla.org/20050126_1/Asia/Kolkata", "2026-01-10T10:00:00Z", "2026-01-10T04:30:00Z"},
		{"tzone://Microsoft/Utc", "2026-01-10T10:00:00Z", "2026-01-10T10:00:00Z"},
		{"UTC+01:00", "1950-01-10T10:00:00Z", "1950-01-10T09:00:00Z"},
		{"Utc", "1950-01-10T10:00:00Z", "1950-01-10T10:00:00Z"},
		{"GMT-0330", "2026-01-10T10:00:00Z", "2026-01-10T13:30:00Z"},
		{"Etc/GMT+3", "2026-01-10T10:00:00Z", "2026-01-10T13:00:00Z"},
		{" America/Sao_Paulo ", "2060-01-10T10:00:00Z", "2060-01-10T13:00:00Z"},
		{"Africa/Casablanca", "2090-01-10T10:00:00Z", ""}, // follows the moon
		{"Europe/Berlin", "1980-01-10T10:00:00Z", ""},
		{"Europe/Bonn", "2026-01-10T10:00:00Z", ""},
		{"Customized Time Zone", "2026-01-10T10:00:00Z", ""},
		{"GMT+1", "2026-01-10T10:00:00Z", ""},
		{"GMT+99:00", "2026-01-10T10:00:00Z", ""},
		{"Somewhere/Europe/Berlin", "2026-01-10T10:00:00Z", ""},
		{"/", "2026-01-10T10:00:00Z", ""},
		{"", "2026-01-10T10:00:00Z", ""},
	} {
		wall, err := time.Parse(time.RFC3339, c.wall)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if z := Lookup(c.zone); z != nil {
			if at, ok := z.Instant(wall.Unix()); ok {
				got = time.Unix(at, 0).UTC().Format(time.RFC3339)
			}
		}
		if got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.wall, c.zone, got, c.want)
		}
	}
}

// Every name of Windows leads to a zone.
func TestWindowsNames(t *testing.T) {
	t.Parallel()
	n := 0
	for line := range strings.Lines(windows) {
		n++
		name, _, _ := strings.Cut(line, "=")
		if Lookup(name) == nil {
			t.Errorf("%s is not known, want a zone", name)
		}
	}
	if n < 130 {
		t.Errorf("%d names, want at least 130", n)
	}
}

func FuzzLookup(f *testing.F) {
	for _, name := range []string{"Europe/Berlin", "/a/b/UTC", "GMT+01:00", "tzone://Microsoft/Utc", "W. Europe Standard Time"} {
		f.Add(name, int64(1780000000))
	}
	f.Fuzz(func(t *testing.T, name string, wall int64) {
		if z := Lookup(name); z != nil && wall > 700_000_000 && wall < 4_000_000_000 {
			if at, ok := z.Instant(wall); ok && (at < wall-16*3600 || at > wall+16*3600) {
				t.Errorf("%q: %d is at %d, want it within 16 hours", name, wall, at)
			}
		}
	})
}
