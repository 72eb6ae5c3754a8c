package main

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// A calendar that is gone while a file lies there that may be it, packed or under a name that cannot be read, keeps its events, which
// the run says until one of the two is settled.
func TestACalendarThatMayBeThereUnread(t *testing.T) {
	t.Parallel()
	const bytesOfZip = "PK\x03\x04 and more"
	for _, c := range []struct {
		was, now string
		stays    bool
	}{
		{"a.ics", "a.ics.zip", true},
		{"a.ics", "a.zip", true},
		{"a.ics", "a.ICS.ZIP", false}, // on this system another name
		{"a.ics", "a.ics.GZ", true},
		{"a.ics", "a.ics.crdownload", true},
		{"s/a.ics", "s/a.zip", true},
		{"s/a.ics", "a.zip", false},
		{"a.ics", "b.zip", false},
		{"a.ics", "a.txt", false},
		{"a.ics", "a.zip/x.txt", false},
		{"a.ics", `shut\xe4.ics`, true},
		{"s/a.ics", `s/shut\xe4.ics`, true},
		{"s/a.ics", `shut\xe4.ics`, false},
	} {
		f := newFolder()
		f.write("other.ics", vcalendar(vevent("o", "Other")))
		f.write(c.was, vcalendar(vevent("u", "Kept")))
		first := f.collect(t, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{rootName: shutAway{f}} })
		delete(f.files, c.was)
		f.write(c.now, bytesOfZip)
		second := again(t, again(t, first))
		there := len(second.Stored()[streamEvents]) == 2 && len(second.Stored()[streamCalendars]) == 2
		if told := strings.Contains(trial.Reasons(second), unread.Reason); there != c.stays || told != c.stays {
			t.Errorf("%s became %q: got its events there: %v, told: %v, want %v", c.was, c.now, there, told, c.stays)
			continue
		}
		delete(f.files, c.now)
		third := again(t, again(t, again(t, second)))
		if n := len(third.Stored()[streamEvents]); n != 1 || strings.Contains(trial.Reasons(third), unread.Reason) {
			t.Errorf("without %q: got %d events, told %s, want one, and nothing of a file that was not read", path.Base(c.now), n, trial.Reasons(third))
		}
	}
}
