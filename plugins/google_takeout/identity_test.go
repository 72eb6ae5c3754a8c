package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// distinct returns how many keys the records of a stream have, and complains of records with one key
// and other content.
func distinct(t *testing.T, f folder, stream string) (keys, records int) {
	t.Helper()
	met := make(map[string]string)
	list := f.collect(t).Records(stream)
	for _, r := range list {
		if before, twice := met[r.Key]; twice && before != string(r.Data) {
			t.Errorf("%s and %s have one key", before, r.Data)
		}
		met[r.Key] = string(r.Data)
	}
	return len(met), len(list)
}

// AC-04: two pictures of one name and time are two, unless nothing tells them apart.
func TestPicturesThatAreAlike(t *testing.T) {
	t.Parallel()
	photo := func(title, more string) string {
		return `{"title":"` + title + `","photoTakenTime":{"timestamp":"1577836800"}` + more + `}`
	}
	berlin, rome := `,"geoData":{"latitude":52.5,"longitude":13.4,"altitude":0.0}`, `,"geoData":{"latitude":41.9,"longitude":12.5,"altitude":0.0}`
	for name, c := range map[string]struct {
		files map[string]string
		want  int
	}{
		"other descriptions":                {map[string]string{"A/p.jpg.json": photo("p.jpg", `,"description":"one"`), "B/p.jpg.json": photo("p.jpg", `,"description":"two"`)}, 2},
		"a description and none":            {map[string]string{"A/p.jpg.json": photo("p.jpg", `,"description":"one"`), "B/p.jpg.json": photo("p.jpg", "")}, 2},
		"other places":                      {map[string]string{"A/p.jpg.json": photo("p.jpg", berlin), "B/p.jpg.json": photo("p.jpg", rome)}, 2},
		"one number, other places":          {map[string]string{"A/p.jpg(1).json": photo("p.jpg", berlin), "B/p.jpg(1).json": photo("p.jpg", rome)}, 2},
		"a number behind one in the title":  {map[string]string{"A/p(1).jpg.json": photo("p(1).jpg", ""), "A/p(1).jpg(1).json": photo("p(1).jpg", "")}, 2},
		"a number behind another":           {map[string]string{"A/p(1).jpg.json": photo("p(1).jpg", ""), "A/p(1).jpg(2).json": photo("p(1).jpg", "")}, 2},
		"other places of a camera":          {map[string]string{"A/p.jpg.json": photo("p.jpg", `,"geoDataExif":{"latitude":1.5,"longitude":3.0}`), "B/p.jpg.json": photo("p.jpg", `,"geoDataExif":{"latitude":2.5,"longitude":3.0}`)}, 2},
		"one picture in two albums":         {map[string]string{"A/p.jpg.json": photo("p.jpg", berlin), "B/p.jpg.json": photo("p.jpg", berlin)}, 1},
		"one address in two albums":         {map[string]string{"A/p.jpg.json": photo("p.jpg", `,"url":"https://x/1"`), "B/p.jpg.json": photo("p.jpg", `,"url":"https://x/1"`)}, 1},
		"two addresses":                     {map[string]string{"A/p.jpg.json": photo("p.jpg", `,"url":"https://x/1"`), "B/p.jpg.json": photo("p.jpg", `,"url":"https://x/2"`)}, 2},
		"a title that has a number and one": {map[string]string{"A/p(1).jpg.json": photo("p(1).jpg", ""), "B/p.jpg.json": photo("p(1).jpg", "")}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := folder{}
			f.put(t, "a.zip", c.files)
			if got, _ := distinct(t, f, streamPhotos); got != c.want {
				t.Errorf("got %d pictures, want %d", got, c.want)
			}
		})
	}
}

// A picture with an address is one, wherever its owner moves it.
func TestAPictureThatWasMoved(t *testing.T) {
	t.Parallel()
	photo := func(latitude string) string {
		return `{"title":"p.jpg","url":"https://x/1","photoTakenTime":{"timestamp":"1577836800"},"geoData":{"latitude":` + latitude + `,"longitude":3.0}}`
	}
	f := folder{}
	f.put(t, "takeout-20260301T080000Z-001.zip", map[string]string{"A/p.jpg.json": photo("1.5")})
	f.put(t, "takeout-20260401T080000Z-001.zip", map[string]string{"A/p.jpg.json": photo("2.5")})
	stored := f.collect(t).Stored()[streamPhotos]
	for key, r := range stored {
		if len(stored) != 1 || fmt.Sprint(r.Fields["latitude"]) != "2.5" {
			t.Errorf("%s is at %v, one of %d, want one, where the newer export has it", key, r.Fields["latitude"], len(stored))
		}
	}
}

// AC-04: messages of a sender whose address is a number are messages of their own, and so are messages
// without a Message-ID that differ in what they say of themselves.
func TestMessagesThatAreAlike(t *testing.T) {
	t.Parallel()
	const at = " Mon Mar 02 08:00:00 +0000 2026\n"
	for name, c := range map[string]struct {
		box  string
		want int
	}{
		"a sender that is a number": {"From 12345678@qq.com" + at + "Message-ID: <a@qq.com>\nSubject: one\n\nx\n\nFrom 12345678@qq.com" + at + "Message-ID: <b@qq.com>\nSubject: two\n\nx\n", 2},
		"a number and no address":   {"From 12345678" + at + "Message-ID: <a@b>\nSubject: one\n\nx\n\nFrom 12345678" + at + "Message-ID: <b@b>\nSubject: two\n\nx\n", 2},
		"other senders":             {"From MAILER" + at + "From: a@example.org\nSubject: s\n\nx\n\nFrom MAILER" + at + "From: b@example.org\nSubject: s\n\nx\n", 2},
		"other receivers":           {"From MAILER" + at + "To: a@example.org\nSubject: s\n\nx\n\nFrom MAILER" + at + "To: b@example.org\nSubject: s\n\nx\n", 2},
		"other sizes":               {"From MAILER" + at + "Subject: s\n\nx\n\nFrom MAILER" + at + "Subject: s\n\nxyz\n", 2},
		"copies":                    {"From MAILER" + at + "Subject: s\n\nx\n\nFrom MAILER" + at + "Subject: s\n\nx\n", 1},
		"a copy with its id":        {"From MAILER" + at + "Message-ID: <a@b>\nSubject: s\n\nx\n\nFrom MAILER" + at + "Message-ID: <a@b>\nSubject: s\n\nx\n", 1},
		"one number, other mails":   {"From 12@xxx" + at + "Message-ID: <a@b>\nSubject: s\n\nx\n\nFrom 12@xxx" + at + "Message-ID: <b@b>\nSubject: s\n\nx\n", 2},
		"one number, other bodies":  {"From 12@xxx" + at + "Subject: s\n\nx\n\nFrom 12@xxx" + at + "Subject: s\n\nxyz\n", 2},
		"one id, other senders":     {"From MAILER" + at + "From: a@b\nMessage-ID: <a@b>\n\nx\n\nFrom MAILER" + at + "From: c@b\nMessage-ID: <a@b>\n\nx\n", 2},
		"four, two of which differ": {"From 12@xxx" + at + "Subject: s\n\nx\n\nFrom 12@xxx" + at + "Subject: t\n\nx\n\nFrom 12@xxx" + at + "Subject: s\n\nx\n\nFrom 12@xxx" + at + "Subject: t\n\nx\n", 2},
		"other labels":              {"From 12@xxx" + at + "X-Gmail-Labels: Inbox\nSubject: s\n\nx\n\nFrom 12@xxx" + at + "X-Gmail-Labels: Archived\nSubject: s\n\nx\n", 2},
		"Gmail's numbers":           {"From 12@xxx" + at + "Subject: s\n\nx\n\nFrom 13@xxx" + at + "Subject: s\n\nx\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := folder{"all.mbox": &fstest.MapFile{Data: []byte(c.box)}}
			if got, records := distinct(t, f, streamMail); got != c.want || records != c.want {
				t.Errorf("got %d messages in %d records, want %d", got, records, c.want)
			}
		})
	}
}

// AC-05: charsets of subjects and names that are not known are told by their names.
func TestCharsetsThatAreNotKnown(t *testing.T) {
	t.Parallel()
	f := folder{"all.mbox": &fstest.MapFile{Data: []byte("From 12@xxx Mon Mar 02 08:00:00 +0000 2026\n" +
		"Subject: =?ISO-2022-JP?B?GyRCRnwbKEI=?=\nFrom: =?gb2312?B?1tA=?= <a@b>\nTo: =?utf-8?q?x?= <c@d>\n\nx\n")}}
	var names []string
	for _, u := range f.collect(t).Items(streamMail).Unknown {
		names = append(names, u.Name)
	}
	if slices.Sort(names); strings.Join(names, ", ") != "encoding gb2312, encoding iso-2022-jp" {
		t.Errorf("got %q, want both encodings", names)
	}
}

// AC-04: entries of a list with one key are one item if they say the same, and else each their own.
func TestEntriesThatAreAlike(t *testing.T) {
	t.Parallel()
	place := func(more string) string {
		return `{"timestamp":"2022-01-12T17:18:24Z","latitudeE7":1,"longitudeE7":2,"deviceTag":3` + more + `}`
	}
	activity := func(header, title, address string) string {
		return `{"header":"` + header + `","title":"` + title + `","titleUrl":"` + address + `","time":"2023-05-02T09:00:00Z"}`
	}
	search := "https://www.google.com/search?q=sea"
	video := func(more string) string {
		return `{"header":"YouTube","title":"Watched a","titleUrl":"https://www.youtube.com/watch?v=a","time":"2023-05-02T09:00:00Z"` + more + `}`
	}
	for name, c := range map[string]struct {
		file, stream string
		list         []string
		want         int
	}{
		"places":          {`{"locations":[#]}`, streamLocations, []string{place(`,"accuracy":1`), place(`,"accuracy":2`), place(`,"accuracy":1`)}, 2},
		"copies of one":   {`{"locations":[#]}`, streamLocations, []string{place(""), place("")}, 1},
		"other devices":   {`{"locations":[#]}`, streamLocations, []string{place(""), strings.Replace(place(""), "3", "4", 1)}, 2},
		"searches":        {`[#]`, streamSearches, []string{activity("Search", "Searched for sea", search), activity("Image Search", "Searched for sea", search)}, 2},
		"copied searches": {`[#]`, streamSearches, []string{activity("Search", "Searched for sea", search), activity("Search", "Searched for sea", search)}, 1},
		"videos":          {`[#]`, streamWatched, []string{video(""), video(`,"subtitles":[{"name":"b"}]`), video("")}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := folder{}
			f.put(t, "a.zip", map[string]string{"x.json": strings.Replace(c.file, "#", strings.Join(c.list, ","), 1)})
			if keys, records := distinct(t, f, c.stream); keys != c.want || records != c.want {
				t.Errorf("got %d records with %d keys, want %d", records, keys, c.want)
			}
			first := f.collect(t)
			slices.Reverse(c.list)
			f.put(t, "a.zip", map[string]string{"x.json": strings.Replace(c.file, "#", strings.Join(c.list, ","), 1)})
			if got := len(first.SecondRun(t, nil).Stored()[c.stream]); got != c.want {
				t.Errorf("in another order: got %d records stored, want %d", got, c.want)
			}
		})
	}
}

// An entry whose key no other one of its list has keeps that key, whatever stands around it.
func TestAnEntryThatIsAlone(t *testing.T) {
	t.Parallel()
	place := func(second string) string {
		return `{"timestamp":"2022-01-12T17:18:` + second + `Z","latitudeE7":1,"longitudeE7":2}`
	}
	for name, list := range map[string][]string{"alone": {place("24")}, "others around it": {place("23"), place("24"), place("24"), place("25")}} {
		f := folder{}
		f.put(t, "a.zip", map[string]string{"x.json": `{"locations":[` + strings.Join(list, ",") + `]}`})
		want := sha256.ID("2022-01-12T17:18:24Z", "1", "2", "")
		if got := f.collect(t).Keys(streamLocations); !slices.Contains(got, want) {
			t.Errorf("%s: got the keys %q, want %s among them", name, got, want)
		}
	}
}
