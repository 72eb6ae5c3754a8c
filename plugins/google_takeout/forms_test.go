package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

// AC-05: the forms of the address of a video.
func TestAddressesOfVideos(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://www.youtube.com/watch?v=abc": true, "https://music.youtube.com/watch?list=x&v=abc": true, "https://m.youtube.com/watch?v=abc": true,
		"https://www.youtube.com/shorts/abc": true, "https://youtube.com/shorts/abc?feature=share": true, "https://www.youtube.com/live/abc": true,
		"https://youtu.be/abc": true, "http://youtu.be/abc?t=1": true, "https://www.youtube.com/embed/abc": true, "https://www.youtube.com/v/abc": true,
		"https://www.youtube.com/shorts/": false, "https://youtu.be/": false, "https://youtu.be/?v=abc": false, "https://www.youtube.com/channel/abc": false,
		"https://www.youtube.com/post/abc": false, "https://www.youtube.com/playlist?list=abc": false, "https://example.org/shorts/abc": false,
		"https://notyoutube.com/shorts/abc": false, "https://example.org/youtu.be/abc": false, "https://www.youtube.com": false, "youtu.be/abc": false, "": false,
	} {
		if got := isVideo(address); got != want {
			t.Errorf("%s is a video: %v, want %v", address, got, want)
		}
	}
}

// AC-06, AC-07: messages without an empty line between, and behind a mark of the byte order.
func TestMailboxesInOtherForms(t *testing.T) {
	t.Parallel()
	message := func(n string) string {
		return "From " + n + "@xxx Mon Jan 01 10:00:00 +0000 2024\nSubject: " + n + "\nFrom: a@example.org\n\nbody\n"
	}
	for name, in := range map[string]string{
		"no empty line":            message("1") + message("2") + message("3"),
		"a mark of the byte order": "\ufeff" + message("1") + "\n" + message("2") + "\n" + message("3"),
		"three files were joined":  "\ufeff" + message("1") + "\ufeff" + message("2") + "\ufeff" + message("3"),
	} {
		for _, file := range []string{"all.mbox", "all"} {
			f := folder{}
			f[file] = &fstest.MapFile{Data: []byte(in)}
			res := f.collect(t)
			if got := strings.Join(res.Keys(streamMail), " "); got != "1 2 3" || told(res) != "" {
				t.Errorf("%s, %s: got the messages %q and %q, want 1 2 3 and no word", name, file, got, told(res))
			}
		}
	}
}

// AC-04: the number in a file's name keeps two pictures of one name and time apart.
func TestPicturesOfOneNameAndTime(t *testing.T) {
	t.Parallel()
	photo := func(title, text string) string {
		return `{"title":"` + title + `","description":"` + text + `","photoTakenTime":{"timestamp":"1577836800"}}`
	}
	f := folder{}
	f.put(t, "a.zip", map[string]string{
		"Google Photos/A/IMG_1.jpg.json": photo("IMG_1.jpg", "one"), "Google Photos/A/IMG_1.jpg(1).json": photo("IMG_1.jpg", "two"),
		"Google Photos/A/IMG_1.jpg.supplemental-metadata(2).json": photo("IMG_1.jpg", "three"), "Google Photos/A/IMG_1(3).jpg.json": photo("IMG_1.jpg", "four"),
		"Google Photos/A/IMG_1.jpg(x).json": photo("IMG_1.jpg", "one"), "Google Photos/B/IMG_1.jpg.json": photo("IMG_1.jpg", "one"),
		"Google Photos/A/IMG_1.jpg().json": photo("IMG_1.jpg", "one"),
		"Google Photos/A/B (9).jpg.json":   photo("B (9).jpg", "five"), "Google Photos/B/B.jpg.json": photo("B (9).jpg", "five"),
	})
	texts := make(map[string]string)
	for _, r := range f.collect(t).Records(streamPhotos) {
		if before := texts[r.Key]; before != "" && before != r.Text("description") {
			t.Errorf("the pictures %q and %q have one key", before, r.Text("description"))
		}
		texts[r.Key] = r.Text("description")
	}
	if len(texts) != 5 {
		t.Errorf("got the pictures %v, want five", texts)
	}
}

// AC-06: archives that were joined into one file are all read.
func TestArchivesInOneFile(t *testing.T) {
	t.Parallel()
	photo := func(name string) map[string]string {
		return map[string]string{name + ".json": `{"title":"` + name + `","photoTakenTime":{"timestamp":"1577836800"}}`, "archive_browser.html": "<html>"}
	}
	parts, f := folder{}, folder{}
	parts.put(t, "a.zip", photo("a"))
	parts.put(t, "b.zip", photo("b"))
	f["takeout-1.zip"] = &fstest.MapFile{Data: append(parts["a.zip"].Data, parts["b.zip"].Data...), ModTime: parts["a.zip"].ModTime}
	res := f.collect(t)
	if got := res.Records(streamPhotos); len(got) != 2 || told(res) != "" {
		t.Errorf("got %d photos and %q, want 2 and no word", len(got), told(res))
	}
	f["takeout-1.zip"].Data = f["takeout-1.zip"].Data[20:] // the first lacks its beginning
	const want = "archive_corrupt[takeout-1.zip, its directory is not where its end says"
	if res := f.collect(t); len(res.Records(streamPhotos)) != 1 || !strings.HasPrefix(told(res), want) {
		t.Errorf("got %d photos and %q, want that of the second and %q", len(res.Records(streamPhotos)), told(res), want)
	}
}

// AC-04: a message with a header that was cut is marked and told, and the headers behind it are read.
func TestALongHeader(t *testing.T) {
	t.Parallel()
	const front, behind = "From 1@xxx Mon Mar 02 08:00:00 +0000 2026\n", "Subject: s\n\nbody\n\nFrom 2@xxx Mon Mar 02 08:00:00 +0000 2026\nSubject: t\nTo: a@b\n\n\n"
	f := folder{}
	f["all.mbox"] = &fstest.MapFile{Data: []byte(front + "To: " + strings.Repeat("someone@example.org,\n ", 60_000) + "a@b\n" + behind)}
	res := f.collect(t)
	got := res.Records(streamMail)
	if len(got) != 2 || got[0].Text("subject") != "s" || !strings.Contains(string(got[0].Data), `"headers_truncated":true`) || !strings.Contains(string(got[1].Data), `"headers_truncated":false`) {
		t.Fatalf("got %d messages, %.300q, want both, and the first marked", len(got), got[0].Data)
	}
	if want := "headers_too_long[all.mbox, message 1]not_retriable"; told(res) != want {
		t.Errorf("the run says %q, want %q", told(res), want)
	}
}
