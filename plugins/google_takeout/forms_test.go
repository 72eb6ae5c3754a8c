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
