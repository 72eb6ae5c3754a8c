package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
)

const oneSearch = `{"header":"Search","title":"Searched for a","titleUrl":"https://www.google.com/search?q=a","time":"2025-01-02T03:04:05Z"}`

// done is an activity with a video that is called by what was done.
func done(what string) string {
	return `{"header":"YouTube","title":"` + what + ` x","titleUrl":"https://www.youtube.com/watch?v=` + what + `","time":"2025-01-03T03:04:05Z"}`
}

// AC-05: an entry of a known list that has not its form is kept back with the names of its members that
// are not known, and is no activity of another kind.
func TestEntriesOfAnotherForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, stream string
		items        abi.StreamAccount
		unknown      string
	}{
		"a renamed address": {
			`[{"header":"Search","title":"Searched for a","url":"https://www.google.com/search?q=a","time":"2025-01-02T03:04:05Z"}]`,
			streamSearches, abi.StreamAccount{Met: 1, KeptBack: 1}, "url",
		},
		"a renamed address of a video": {
			`[{"header":"YouTube","title":"x angesehen","url":"https://www.youtube.com/watch?v=x","time":"2025-01-03T03:04:05Z"}]`,
			streamWatched, abi.StreamAccount{Met: 1, KeptBack: 1}, "url",
		},
		"one among others": {
			`[` + oneSearch + `,{"heading":"Search","label":"b","link":"https://www.google.com/search?q=b","at":"2025-01-03T03:04:05Z"}]`,
			streamSearches, abi.StreamAccount{Met: 2, Emitted: 1, KeptBack: 1}, "at heading label link",
		},
		"no objects": {
			`[null,` + oneSearch + `,17,"x"]`, streamSearches, abi.StreamAccount{Met: 4, Emitted: 1, KeptBack: 3}, "an entry that is no object",
		},
		"an activity of another kind": {
			`[{"header":"Maps","title":"Used Maps","time":"2025-01-03T03:04:05Z","products":["Maps"]}]`, streamSearches, abi.StreamAccount{Met: 1, NotRecord: 1}, "",
		},
		"what else was done with a video": {
			`[` + done("Liked") + `,` + done("Saved") + `,` + done("Watched") + `,` + done("Disliked") + `]`, streamWatched, abi.StreamAccount{Met: 1, Emitted: 1}, "",
		},
		"a video in another product": {
			`[` + strings.Replace(done("Visited"), `"YouTube"`, `"www.youtube.com"`, 1) + `]`, streamWatched, abi.StreamAccount{}, "",
		},
		"what was done with a video, in a language that is not known": {
			`[` + done("Katsoin") + `]`, streamWatched, abi.StreamAccount{Met: 1, KeptBack: 1}, unknownAction,
		},
		"what a history of videos controls, in a language that is not known": {
			`[` + strings.Replace(done("Katsoin"), `"time"`, `"activityControls":["YouTuben katseluhistoria"],"time"`, 1) + `]`, streamWatched, abi.StreamAccount{Met: 1, Emitted: 1}, "",
		},
		"renamed degrees": {
			`{"locations":[{"latE7":1,"lngE7":2,"timestamp":"2025-01-02T03:04:05Z"}]}`, streamLocations, abi.StreamAccount{Met: 1, KeptBack: 1}, "latE7 lngE7",
		},
		"members of another type": {
			`{"locations":[{"latitudeE7":"480000000","longitudeE7":1,"accuracy":"good","timestamp":"2025-01-02T03:04:05Z"}]}`,
			streamLocations, abi.StreamAccount{Met: 1, Emitted: 1}, "accuracy of another type",
		},
		"a title of another type": {
			`[{"header":"YouTube","title":["Watched x"],"titleUrl":"https://www.youtube.com/watch?v=x","subtitles":"y","time":"2025-01-03T03:04:05Z","activityControls":["YouTube watch history"]}]`,
			streamWatched, abi.StreamAccount{Met: 1, Emitted: 1}, "subtitles of another type title of another type",
		},
		"a photo's members of another type": {
			`{"title":1,"description":[],"photoTakenTime":{"timestamp":"1700000000"},"geoData":{"latitude":"48.1","longitude":11.5}}`,
			streamPhotos, abi.StreamAccount{Met: 1, Emitted: 1}, "description of another type title of another type",
		},
		"a place with a member that is not known": {
			`{"locations":[{"latitudeE7":1,"longitudeE7":1,"timestamp":"2025-01-02T03:04:05Z","mood":1,"LatitudeE7":2}]}`, streamLocations, abi.StreamAccount{Met: 1, Emitted: 1}, "mood",
		},
		"a guess with members that are not known": {
			`{"locations":[{"latitudeE7":1,"longitudeE7":1,"timestampMs":"1400000000000","activity":[{"timestampMs":"1","kinds":[]},{"activities":[{"kind":"STILL"}]}]}]}`,
			streamLocations, abi.StreamAccount{Met: 1, Emitted: 1}, "activity.activity.kind activity.kinds",
		},
		"an activity with a member that is not known": {
			`[` + strings.Replace(oneSearch, `"title"`, `"mood":1,"title"`, 1) + `]`, streamSearches, abi.StreamAccount{Met: 1, Emitted: 1}, "mood",
		},
		"a place without degrees": {
			`{"locations":[{"timestamp":"2025-01-02T03:04:05Z","source":"WIFI"}]}`, streamLocations, abi.StreamAccount{Met: 1, Emitted: 1}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := folder{}
			f.put(t, "a.zip", map[string]string{"My Activity/Search/MyActivity.json": c.text})
			res := f.collect(t)
			got := res.Items(c.stream)
			if got.Met != c.items.Met || got.Emitted != c.items.Emitted || got.KeptBack != c.items.KeptBack || got.NotRecord != c.items.NotRecord {
				t.Errorf("got %+v, want %+v", got, c.items)
			}
			var names []string
			for _, u := range got.Unknown {
				names = append(names, u.Name)
			}
			if got := strings.Join(names, " "); got != c.unknown {
				t.Errorf("not known: got %q, want %q", got, c.unknown)
			}
			if got, want := strings.Contains(skips(res), problemStrange), c.unknown != "" && c.items.KeptBack > 0; got != want {
				t.Errorf("the run tells of entries that are not known: %v, want %v", got, want)
			}
			for _, s := range res.Skips { // the page has to say of the stream what it says of the connection
				if s.Reason == problemStrange && s.Stream != c.stream {
					t.Errorf("the run tells of entries of %q that are not known, want %q", s.Stream, c.stream)
				}
			}
			if got := res.File("google_takeout", "a.zip"); (got == abi.FileDamaged) != (c.items.KeptBack > 0) {
				t.Errorf("the archive is %q, and %d items of it were kept back", got, c.items.KeptBack)
			}
		})
	}
}

// AC-05: a time that no calendar has gives no field, and is told by its name.
func TestADateOfMailThatIsNone(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]string{
		"Date: Tue, 31 Feb 2026 08:00:00 +0000\n": "Date that is no time", "Date: Mon, 1 Jan 0001 00:00:00 +0000\n": "Date that is no time",
		"Date: Mon, 2 Mar 2026 08:00:00 +0000\n": "", "Date: \n": "", "": "",
	} {
		f := folder{"all.mbox": &fstest.MapFile{Data: []byte("From 1@xxx Mon Mar 02 08:00:00 +0000 2026\nSubject: x\n" + date + "\nbody\n")}}
		res := f.collect(t)
		var got string
		for _, u := range res.Items(streamMail).Unknown {
			got += u.Name
		}
		if got != want || len(res.Records(streamMail)) != 1 {
			t.Errorf("%q: got %q and %d messages, want %q and one", date, got, len(res.Records(streamMail)), want)
		}
	}
}

// AC-02: a folder around an export hides nothing of it, whatever it is called.
func TestAnExportInAFolderCalledLikeAProduct(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{
		"Google Drive/Takeout/My Activity/Search/MyActivity.json": abi.FileRead,
		"Drive/Takeout/My Activity/Search/MyActivity.json":        abi.FileRead,
		"Saved/My Activity/Search/MyActivity.json":                abi.FileRead,
		"News/MyActivity.json":                                    abi.FileRead,
		"Phone/Takeout/Drive/MyActivity.json":                     abi.FileRule,
		"Takeout/Drive/MyActivity.json":                           abi.FileRule,
	} {
		f := folder{place: &fstest.MapFile{Data: []byte("[" + oneSearch + "]")}}
		if got := f.collect(t).File("google_takeout", place); got != want {
			t.Errorf("%s: got %q, want %q", place, got, want)
		}
	}
	f := folder{}
	f.put(t, "a.zip", map[string]string{"Mail/User Settings/All mail.mbox": "From 1@xxx Mon Mar 02 08:00:00 +0000 2026\nSubject: x\n\nbody\n"})
	if n := len(f.collect(t).Records(streamMail)); n != 1 {
		t.Errorf("a mailbox in the folder of settings: got %d messages, want 1", n)
	}
}

// AC-02, AC-06: a file without a byte is damaged and named, in an archive and loose.
func TestFilesWithoutAByte(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Records.json", "all.mbox", "subscriptions.csv", "MyActivity.html"} {
		f := folder{name: &fstest.MapFile{}, "MyActivity.json": &fstest.MapFile{Data: []byte("[" + oneSearch + "]")}}
		res := f.collect(t)
		if got, want := told(res), problemEmpty+"["+name+"]manual_action_required"; got != want || res.File("google_takeout", name) != abi.FileDamaged {
			t.Errorf("%s: the run says %q, the file is %q, want %q and %q", name, got, res.File("google_takeout", name), want, abi.FileDamaged)
		}
		f = folder{}
		f.put(t, "a.zip", map[string]string{name: "", "MyActivity.json": "[" + oneSearch + "]"})
		res = f.collect(t)
		if e := res.Entries("google_takeout", "a.zip"); e == nil || e.Damaged != 1 || !strings.HasPrefix(told(res), problemEmpty+"[a.zip: Takeout/"+name) {
			t.Errorf("%s: got %+v and %q, want one damaged entry, named", name, e, told(res))
		}
	}
}

// AC-10: no advice empties the folder, which would end the collection: a file may be the only one.
func TestNoAdviceEmptiesTheFolder(t *testing.T) {
	t.Parallel()
	for _, p := range problems {
		if strings.Contains(p.Text, "take ") && strings.Contains(p.Text, " out") {
			t.Errorf("%s: %q has a file taken out, which may be the only one", p.Code, p.Text)
		}
	}
}
