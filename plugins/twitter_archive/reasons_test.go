package main

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-02: with each reason that asks its owner for something a file is accounted for, or its archive, in the run that
// reads it and in the next: what is told of it ends with the owner's word. collect looks for the file.
func TestEachReasonIsOfAFile(t *testing.T) {
	t.Parallel()
	whole := map[string]string{"data/manifest.js": described("false", listsTweets), "data/tweets.js": `window.YTD.tweets.part0 = [` + onePost + `]`}
	with := func(file, text string) map[string]string {
		files := maps.Clone(whole)
		if files[file] = text; text == "" {
			delete(files, file)
		}
		return files
	}
	account := func(id, day string) map[string]string {
		return with("data/manifest.js", strings.NewReplacer(`"accountId":"1"`, `"accountId":"`+id+`"`, "2026-01-01", day).Replace(whole["data/manifest.js"]))
	}
	posts := func(list string) map[string]string {
		return with("data/tweets.js", `window.YTD.tweets.part0 = [`+list+`]`)
	}
	two := maps.Clone(whole)
	for file, text := range account("2", "2027-01-01") {
		two["other/"+file] = text
	}
	type archives []map[string]string // of one run after the other
	rows := map[string]archives{
		problemForeign: {whole, {"x/y.bin": "?"}},
		problemOlder:   {whole, account("1", "2025-01-01")},
		problemOthers:  {whole, account("2", "2027-01-01")},
		problemMixed:   {two},
		problemPage:    {{"Your archive.html": "x"}},
		problemMissing: {with("data/tweets.js", "")},
		problemFewer:   {with("data/manifest.js", described("false", strings.Replace(listsTweets, `.js"`, `.js","count":"2"`, 1)))},
		problemPart:    {with("data/manifest.js", described("true", listsTweets))},
		problemTime:    {posts(onePost + `,{"tweet":{"id_str":"2","full_text":"x","created_at":"never"}}`)},
		problemTwice:   {posts(onePost + "," + strings.Replace(onePost, `"t"`, `"u"`, 1))},
		problemID:      {posts(onePost + `,{"tweet":{"full_text":"x","created_at":"Sat Jan 03 04:05:06 +0000 2026"}}`)},
		problemStrange: {posts(onePost + `,{"thread":{"id":"5"}}`)},
		problemLarge:   {posts(onePost + `,{"tweet":"` + trial.Noise(5<<20) + `"}`)},
	}
	alone := map[string]bool{problemOlder: true} // the newest is gone
	for _, p := range problems {
		if p.Hint == owner && rows[p.Code] == nil {
			t.Errorf("no archive is given of which %s is told", p.Code)
		}
	}
	for code, list := range rows {
		for _, loose := range []bool{false, true} {
			t.Run(code+map[bool]string{true: ", unpacked"}[loose], func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				for i, files := range list {
					name := string('a'+rune(i)) + "/"
					if alone[code] {
						clear(w.folder)
					}
					if !loose {
						w.folder[strings.TrimSuffix(name, "/")+".zip"] = archived(t, files)
						files = nil
					}
					for file, text := range files {
						w.folder[name+file] = &fstest.MapFile{Data: []byte(text), ModTime: sdktest.Epoch}
					}
					w.collect()
				}
				for _, res := range []*sdktest.Result{w.last, w.collect()} {
					var got []string
					for _, s := range res.Skips {
						got = append(got, s.Reason)
					}
					if !strings.Contains(strings.Join(got, " "), code) && !(loose && code == problemForeign) { // each file is told by itself
						t.Errorf("the run says %q, want %s", got, code)
					}
				}
			})
		}
	}
}
