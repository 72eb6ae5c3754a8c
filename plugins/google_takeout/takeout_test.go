package main

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

var schemas = trial.SchemasOf(manifest)

// folder has archives, each with a time of its own.
type folder fstest.MapFS

func (f folder) put(t testing.TB, name string, files map[string]string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create("Takeout/" + file)
		if err == nil {
			_, err = io.WriteString(w, files[file])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f[name] = &fstest.MapFile{Data: b.Bytes(), ModTime: sdktest.Epoch.Add(time.Duration(len(f)) * time.Second)}
}

func (f folder) collect(t *testing.T, change ...trial.Change) *sdktest.Result {
	t.Helper()
	o := sdktest.Options{Roots: map[string]fs.FS{"google_takeout": fstest.MapFS(f)}}
	for _, c := range change {
		c(&o)
	}
	res := sdktest.Collect(t, connector{}, o)
	schemas.Sound(t, res)
	if got := trial.Unaccounted(res); got != "" {
		t.Errorf("no file is accounted for with %s", got)
	}
	return res
}

// skips lists the reasons of a run's skips.
func skips(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		list = append(list, s.Reason)
	}
	return strings.Join(list, " ")
}

// data lists the records of a stream as JSON, without their ids.
func data(res *sdktest.Result, stream string) string {
	var list []string
	for _, r := range res.Records(stream) {
		list = append(list, strings.Replace(string(r.Data), `"id":"`+r.Key+`",`, "", 1))
	}
	return strings.Join(list, "\n")
}

//nolint:misspell // X-GM-THRID is as Gmail spells it
var export = map[string]string{
	"Standortverlauf/Records.json": `{"locations":[
		{"latitudeE7":525200000,"longitudeE7":134050000,"accuracy":12,"velocity":1,"altitude":34,"deviceTag":-7,"source":"WIFI","timestamp":"2022-01-12T17:18:24.190Z",
		 "activity":[{"timestamp":"2022-01-12T17:18:20Z","activity":[{"type":"WALKING","confidence":80},{"type":"STILL","confidence":10}]}]},
		{"timestampMs":"1388534400123","latitudeE7":-1,"longitudeE7":5},{"latitudeE7":1}]}`,
	"YouTube and YouTube Music/history/watch-history.json": `[
		{"header":"YouTube","title":"Watched The sea","titleUrl":"https://www.youtube.com/watch?v\u003dabc","subtitles":[{"name":"Waves","url":"https://www.youtube.com/channel/UC1"}],"time":"2023-05-01T10:00:00.5Z","products":["YouTube"]},
		{"header":"YouTube","title":"Watched a video that has been removed","time":"2023-05-01T11:00:00Z"},
		{"header":"YouTube","title":"Viewed a post","titleUrl":"https://www.youtube.com/post/x","time":"2023-05-01T12:00:00Z"}]`,
	"YouTube and YouTube Music/history/search-history.json": `[
		{"header":"YouTube","title":"Searched for sea & sun","titleUrl":"https://www.youtube.com/results?search_query\u003dsea+%26+sun","time":"2023-05-01T09:00:00Z"}]`,
	"My Activity/Search/MyActivity.json": `[
		{"header":"Search","title":"Nach Köln gesucht","titleUrl":"https://www.google.com/search?q\u003dK%C3%B6ln","time":"2023-05-02T09:00:00Z"},
		{"header":"Search","title":"Visited example.org","titleUrl":"https://www.google.com/url?q\u003dhttps://example.org/","time":"2023-05-02T09:01:00Z"},
		{"header":"Search","title":"x","titleUrl":"https://www.google.com/search?q\u003dx","time":"soon"}]`,
	"Google Photos/Photos from 2020/sea.jpg.json": `{"title":"sea.jpg","description":"At the sea","photoTakenTime":{"timestamp":"1577836800","formatted":"1 Jan 2020"},
		"geoData":{"latitude":54.1,"longitude":7.9,"altitude":3.0},"url":"https://photos.google.com/photo/AF1"}`,
	"Google Photos/Trip/sea.jpg.json":  `{"title":"sea.jpg","description":"At the sea","photoTakenTime":{"timestamp":"1577836800"},"geoData":{"latitude":54.1,"longitude":7.9,"altitude":3.0},"url":"https://photos.google.com/photo/AF1"}`,
	"Google Photos/Trip/metadata.json": `{"title":"Trip"}`,
	"Google Photos/Trip/sea.jpg":       "JPEG",
	"Mail/All mail Including Spam and Trash.mbox": "From 1779481@xxx Mon Mar 02 08:00:00 +0000 2026\nX-GM-THRID: 17\nX-Gmail-Labels: Inbox,Starred,Unread\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\n" +
		"From: \"Ana B.\" <ana@example.org>\nTo: bob@example.org\nDate: Mon, 2 Mar 2026 09:00:00 +0100\nMessage-ID: <1@example.org>\nReferences: <0@example.org>\n\nHello.\n",
	"YouTube and YouTube Music/subscriptions/subscriptions.csv": "Channel Id,Channel Url,Channel Title\nUC1,http://www.youtube.com/channel/UC1,\"Waves, and wind\"\n",
	"Keep/list.csv":                   "a,b\n1,2\n",
	"archive_browser.html":            "<html>",
	"Chrome/History.json":             `{"Browser History":[{"title":"x"}]}`,
	"My Activity/Fit/MyActivity.json": `[{"header":"Fit","time":"x"`,
}

// RT-01, RT-05: the streams of one export.
func TestTheStreamsOfAnExport(t *testing.T) {
	t.Parallel()
	f := folder{}
	f.put(t, "takeout-20260301T080000Z-001.zip", export)
	res := f.collect(t)
	for stream, want := range map[string]string{
		streamLocations: `{"timestamp":"2022-01-12T17:18:24.19Z","latitude":52.52,"longitude":13.405,"accuracy_meters":12,"activity_type":"WALKING","velocity_mps":1,"altitude_m":34}` + "\n" +
			`{"timestamp":"2014-01-01T00:00:00.123Z","latitude":-1e-07,"longitude":5e-07,"accuracy_meters":null,"activity_type":null,"velocity_mps":null,"altitude_m":null}`,
		streamWatched: `{"watched_at":"2023-05-01T10:00:00.5Z","video_url":"https://www.youtube.com/watch?v=abc","video_title":"The sea","channel_name":"Waves","channel_url":"https://www.youtube.com/channel/UC1"}` + "\n" +
			`{"watched_at":"2023-05-01T11:00:00Z","video_url":null,"video_title":"a video that has been removed","channel_name":null,"channel_url":null}`,
		streamSearches:      `{"timestamp":"2023-05-02T09:00:00Z","query":"Köln","product":"Search"}` + "\n" + `{"timestamp":"2023-05-01T09:00:00Z","query":"sea & sun","product":"YouTube"}`,
		streamSubscriptions: `{"channel_url":"http://www.youtube.com/channel/UC1","channel_title":"Waves, and wind"}`,
		streamMail:          `{"thread_id":"17","subject":"Grüße","from_name":"Ana B.","from_email":"ana@example.org","to":["bob@example.org"],"cc":[],"bcc":[],"reply_to":[],"date":"2026-03-02T08:00:00Z","received_at":"2026-03-02T08:00:00Z","message_id":"\u003c1@example.org\u003e","in_reply_to":null,"references":["<0@example.org>"],"size_bytes":243,"labels":["Inbox","Starred","Unread"],"is_draft":false,"is_flagged":true,"is_seen":false,"has_attachments":false,"headers_truncated":false}`,
	} {
		want = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(want)
		if got := data(res, stream); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", stream, got, want)
		}
	}
	if got, want := res.Keys(streamMail), []string{"1779481"}; !slices.Equal(got, want) {
		t.Errorf("the mail has the keys %q, want %q", got, want)
	}
	photo := `{"event_time":"2020-01-01T00:00:00Z","filename":"sea.jpg","title":"sea.jpg","description":"At the sea","latitude":54.1,"longitude":7.9,"altitude":3,"blob_ref":null,"content_sha256":null,"size_bytes":null,"hydration_error":null,"hydration_status":"unavailable"}`
	if got := data(res, streamPhotos); got != photo+"\n"+photo {
		t.Errorf("photos: got %s, want one photo of two albums", got)
	}
	if photos := res.Records(streamPhotos); photos[0].Key != photos[1].Key {
		t.Errorf("the photo has the keys %s and %s, want one", photos[0].Key, photos[1].Key)
	}
	if got, want := skips(res), strings.Repeat("time_missing ", 2)+"jsonstream_truncated"; got != want {
		t.Errorf("the run says %q, want %q", got, want)
	}
	for id, want := range map[string]string{"places": "files with places: 1", "other": "other files, which were not read: 1", "products": "files of products that are not collected: 2", "albums": "names and settings of albums: 1", "settings": "settings, and pages that describe the export: 1", "html_activities": "files with activities as HTML: 0"} {
		row, _ := res.Record(streamCoverage, "coverage:"+id)
		if row.Text("reason") != want {
			t.Errorf("%s: got %s, want %q", id, row.Data, want)
		}
	}
	// RT-06: an unchanged folder is not read again, and says the same of itself.
	again := res.SecondRun(t, nil)
	for _, r := range again.All {
		if r.Stream != streamCoverage {
			t.Errorf("the second run emits %s %s, want nothing", r.Stream, r.Key)
		}
	}
	if got, want := skips(again), skips(res); got != want {
		t.Errorf("the second run says %q, want %q", got, want)
	}
}

// The newer export decides what a record is that two exports have, whichever is put there first.
func TestANewerExport(t *testing.T) {
	t.Parallel()
	photo := func(text string) map[string]string {
		return map[string]string{"p.json": `{"title":"p","description":"` + text + `","photoTakenTime":{"timestamp":"1577836800"},"url":"https://photos.google.com/photo/1"}`}
	}
	loose := func(text string, at time.Time) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(photo(text)["p.json"]), ModTime: at}
	}
	for name, c := range map[string]struct {
		older, newer string
		first        string // that is collected before the other one is there
		want         int    // records of the second run
	}{
		"the older one first":         {"takeout-20260301T080000Z-001.zip", "takeout-20260401T080000Z-001.zip", "old", 1},
		"the newer one first":         {"takeout-20260301T080000Z-001.zip", "takeout-20260401T080000Z-001.zip", "new", 2},
		"days in the names":           {"b 2026-03-01.zip", "a 2026-04-01.zip", "new", 2},
		"an older one without a date": {"z.zip", "takeout-20260401T080000Z-001.zip", "new", 2},
		"none has a date":             {"z.zip", "a.zip", "new", 2},
		"an older one is unpacked":    {"z/p.json", "takeout-20260401T080000Z-001.zip", "new", 2},
		"the newer one is unpacked":   {"z.zip", "new/p.json", "new", 2},
		"an older one that is cut":    {"cut-2026-03-01.zip", "takeout-20260401T080000Z-001.zip", "new", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := folder{}
			put := func(text string) {
				file, at := c.older, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
				if text == "new" {
					file, at = c.newer, time.Date(2026, 4, 2, 0, 0, 0, 0, time.UTC)
				}
				if strings.HasSuffix(file, "json") {
					f[file] = loose(text, at)
					return
				}
				f.put(t, file, photo(text))
				if f[file].ModTime = at; strings.HasPrefix(file, "cut") {
					f[file].Data = f[file].Data[:len(f[file].Data)-4]
				}
			}
			put(c.first)
			first := f.collect(t)
			put(map[string]string{"old": "new", "new": "old"}[c.first])
			second := first.SecondRun(t, nil)
			for how, res := range map[string]*sdktest.Result{"in another run": second, "both": f.collect(t)} {
				got := res.Records(streamPhotos)
				if len(got) == 0 || got[len(got)-1].Text("description") != "new" || how != "both" && len(got) != c.want {
					t.Errorf("%s: got %d photos, want %d and the new one last", how, len(got), c.want)
				}
			}
			if got := second.SecondRun(t, nil).Records(streamPhotos); len(got) != 0 {
				t.Errorf("the third run emits %d photos, want nothing", len(got))
			}
		})
	}
}

// A run reports each fault of an archive and reads the other archives.
func TestBrokenArchives(t *testing.T) {
	t.Parallel()
	f := folder{}
	f.put(t, "b.zip", export)
	whole := f["b.zip"].Data
	f["a.zip"] = &fstest.MapFile{Data: whole[:len(whole)-40], ModTime: sdktest.Epoch}
	f["c.tgz"] = &fstest.MapFile{Data: []byte("hello"), ModTime: sdktest.Epoch}
	f.put(t, "d.zip", map[string]string{"../x.json": "[]", "My Activity/Search/MyActivity.html": "<html>", "m.mbox": "no mail", "t.csv": "Channel Id,Channel Url\n\"1"})
	res := f.collect(t)
	if got, want := skips(res), "history_is_html "+strings.Repeat("time_missing ", 2)+"archive_truncated archive_unsafe_name archive_not_an_archive jsonstream_truncated csv_truncated mbox_not_a_mailbox"; got != want {
		t.Errorf("the run says %q, want %q", got, want)
	}
	if n := len(res.Records(streamSearches)); n != 4 || res.Done.Status != abi.DoneSucceeded {
		t.Errorf("%d searches, %s, want 2 of the archive that is whole and of the one that is cut, and %s", n, res.Done.Status, abi.DoneSucceeded)
	}
	if got, want := skips(res.SecondRun(t, nil)), skips(res); got != want {
		t.Errorf("the second run says %q, want %q", got, want)
	}
	if got, want := skips(folder{}.collect(t)), "nothing_found"; got != want {
		t.Errorf("of an empty folder the run says %q, want %q", got, want)
	}
}

// A run that is stopped goes on, and a stream that is asked for later is read then.
func TestStoppedAndNarrowed(t *testing.T) {
	t.Parallel()
	f := folder{}
	f.put(t, "a.zip", export)
	stopped := f.collect(t, func(o *sdktest.Options) { o.StopAfter, o.Tolerate = 1, true })
	if stopped.Done.Status != abi.DoneCancelled {
		t.Errorf("the run ends with %s, want %s", stopped.Done.Status, abi.DoneCancelled)
	}
	mail := f.collect(t, func(o *sdktest.Options) { o.Streams = []string{streamMail} })
	all := mail.SecondRun(t, func(o *sdktest.Options) { o.Streams = nil })
	if len(mail.Records(streamMail)) != 1 || len(all.Records(streamMail)) != 0 || len(all.Records(streamSearches)) != 2 {
		t.Errorf("%d mails, then %d and %d searches, want 1, then 0 and 2", len(mail.Records(streamMail)), len(all.Records(streamMail)), len(all.Records(streamSearches)))
	}
}

// Bytes that nobody vouches for end in no panic and in no record that the manifest refuses.
func FuzzFile(f *testing.F) {
	for name, content := range export {
		f.Add(name, content)
	}
	f.Add("Verlauf/Wiedergabeverlauf.json", removed)
	f.Add("Verlauf/x.html", `<div class="outer-cell">`)
	f.Add("Timeline.json", `{"semanticSegments":[{"startTime":"x"}],"rawSignals":[]}`)
	f.Add("Abos.csv", "Kanal-ID,Kanal-URL,Kanaltitel\nUC0hHW5Y08ggq-9kbrGgWj0A,http://www.youtube.com/channel/UC0hHW5Y08ggq-9kbrGgWj0A,x\n")
	f.Add("p.json", "\xff\xfe{\x00}\x00")
	f.Add("m.mbox", "From 1@x Mon Mar 02 08:00:00 +0000 2026\nX-Gmail-Labels: \"a, b\",c\nSubject: K\xf6ln\n\nx")
	f.Fuzz(func(t *testing.T, name, content string) {
		if !fs.ValidPath(name) || len(name) > 100 {
			return
		}
		archives := folder{}
		archives.put(t, "a.zip", map[string]string{name: content})
		res := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"google_takeout": fstest.MapFS(archives)}})
		schemas.Conform(t, res)
		if res.Done.Status != abi.DoneSucceeded {
			t.Fatalf("the run ends with %+v, want %s", res.Done, abi.DoneSucceeded)
		}
	})
}
