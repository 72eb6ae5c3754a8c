package main

import (
	"bytes"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// shutFS is a folder in which one place cannot be opened.
type shutFS struct {
	fs.FS

	shut string
}

func (f shutFS) Open(name string) (fs.File, error) {
	if name == f.shut {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.FS.Open(name)
}

// run does the next run in a mode, with a place that cannot be opened.
func (w *world) run(mode, shut string) *sdktest.Result {
	w.t.Helper()
	w.last = w.last.SecondRun(w.t, func(o *sdktest.Options) {
		o.Mode, o.Roots = mode, map[string]fs.FS{"twitter_archive": shutFS{fstest.MapFS(w.folder), shut}}
	})
	schemas.Sound(w.t, w.last)
	w.store.Apply(w.last)
	return w.last
}

// keys are the records that the host has.
func (w *world) keys() string {
	var list []string
	for _, stream := range []string{streamTweets, streamMessages} {
		list = append(list, slices.Sorted(maps.Keys(w.store[stream]))...)
	}
	return strings.Join(list, " ")
}

// everyForm are archives in each form that lists whole archives say nothing of each other's: c.zip is the newest, and
// says that it is whole.
func everyForm(t *testing.T) map[string]map[string]string {
	t.Helper()
	manifest := func(day string) string {
		return strings.Replace(described("false", listsTweets+","+listsMessages), "2026-01-01", day, 1)
	}
	tweets := func(id string) string {
		return `window.YTD.tweets.part0 = [{"tweet":` + strings.Replace(onePost, `"1"`, `"`+id+`"`, 1) + `}]`
	}
	bare := func(id string) string {
		return `window.YTD.tweet.part0 = [` + strings.NewReplacer(`"1"`, `"`+id+`"`, "2026", "2018").Replace(onePost) + `]`
	}
	messages := func(id string) string {
		return strings.NewReplacer("77", id, "2026", map[bool]string{true: "2018", false: "2025"}[id > "72"]).Replace(oneMessage)
	}
	index := month(`{"file_name":"data/js/tweets/2014_03.js","tweet_count":1}`)
	index["data/js/user_details.js"] = `var user_details = {"id":"1","bio":"writes"}`
	index["data/js/tweets/2014_03.js"] = strings.Replace(index["data/js/tweets/2014_03.js"], `"id":1`, `"id":7`, 1)
	return map[string]map[string]string{
		"c.zip": {"data/manifest.js": manifest("2026-01-01"), "data/tweets.js": tweets("1"), "data/direct-messages.js": messages("71")},
		"a.zip": {"data/manifest.js": manifest("2025-01-01"), "data/tweets.js": tweets("2"), "data/direct-messages.js": messages("72"),
			"data/note-tweet.js": `window.YTD.note_tweet.part0 = [{"noteTweet":{"noteTweetId":"9","createdAt":"2020-01-03T04:05:06.000Z","core":{"text":"` + long + `"}}}]`},
		"b.zip": {"tweet.js": bare("3"), "direct-message.js": messages("73"), "account.js": `window.YTD.account.part0 = [{"account":{"accountId":"1"}}]`},
		"t.zip": {"tweets.csv": "\"tweet_id\",\"timestamp\",\"text\"\n\"4\",\"2014-01-01 00:00:00 +0000\",\"hi\"\n\"5\",\"2014-01-02 00:00:00 +0000\",\"ho\"\n"},
		"m.zip": index,
		"u":     {"tweet.js": bare("6"), "direct-message.js": messages("76")},
		"v":     {"tweet.js": bare("8")},
	}
}

func putAll(t *testing.T, f folder, archives map[string]map[string]string, at time.Time) {
	t.Helper()
	clear(f)
	for name, files := range archives {
		if strings.HasSuffix(name, ".zip") {
			f[name] = archived(t, files)
			f[name].ModTime = at
			continue
		}
		for file, text := range files {
			f[name+"/"+file] = &fstest.MapFile{Data: []byte(text), ModTime: at}
		}
	}
}

// spoiled has the files of an archive that was packed changed from their beginnings on, or behind their ends.
func spoiled(data []byte, file string, begin bool) []byte {
	data = bytes.Clone(data)
	for i := 0; i+46 < len(data); i++ {
		switch string(data[i : i+4]) {
		case "PK\x03\x04":
			n := int(data[i+26])
			if name := string(data[i+30 : i+30+n]); begin && (file == "" || name == file) {
				data[i+30+n] = 0xff // no block of deflate begins so
			}
		case "PK\x01\x02":
			n := int(data[i+28])
			if name := string(data[i+46 : i+46+n]); file == "" || name == file {
				data[i+16] ^= 1 // the sum
			}
		}
	}
	return data
}

// locked has every entry of an archive say that it needs a password.
func locked(data []byte) []byte {
	data = bytes.Clone(data)
	for i := range len(data) - 10 {
		switch string(data[i : i+4]) {
		case "PK\x03\x04":
			data[i+6] |= 1
		case "PK\x01\x02":
			data[i+8] |= 1
		}
	}
	return data
}

// AC-06: no record of a stream is deleted because a file, or a whole archive, cannot be read any more, or not to its end, in
// an ordinary run and in a full refresh. It is when the file is gone.
func TestNothingIsDeletedForWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	type change = func(f folder) (shut string)
	rows := map[string]change{}
	archives, later := everyForm(t), sdktest.Epoch.Add(time.Hour)
	move := func(from, to string) change {
		return func(f folder) string {
			for _, name := range slices.Sorted(maps.Keys(f)) {
				if name == from || strings.HasPrefix(name, from+"/") {
					f[to+strings.TrimPrefix(name, from)] = f[name]
					delete(f, name)
				}
			}
			return ""
		}
	}
	data := func(name string, to func(data []byte) []byte) change {
		return func(f folder) string {
			f[name] = &fstest.MapFile{Data: to(f[name].Data), ModTime: later}
			return ""
		}
	}
	for name, files := range archives {
		shut := func(what string) change { return func(folder) string { return what } }
		rows[name+" cannot be opened"] = shut(name)
		if strings.HasSuffix(name, ".zip") {
			rows[name+" is no archive any more"] = data(name, func([]byte) []byte { return []byte("hello") })
			rows[name+" has no byte"] = data(name, func([]byte) []byte { return nil })
			rows[name+" is cut"] = data(name, func(data []byte) []byte { return data[:len(data)/2] })
			rows[name+" needs a password"] = data(name, locked)
			rows[name+" is still written"] = move(name, name+".crdownload")
			rows[name+" is a piece"] = move(name, name+".001")
			rows[name+" is in another archive"] = func(f folder) string {
				f["download.zip"] = archived(t, map[string]string{"x/" + name: string(f[name].Data)})
				delete(f, name)
				return ""
			}
			rows[name+" is damaged in each file"] = data(name, func(data []byte) []byte { return spoiled(data, "", true) })
		} else {
			rows[name+" has another name"] = func(f folder) string {
				move(name, name+`\xe4`)(f) // as the host writes a byte that is not of UTF-8
				return name + `\xe4`
			}
			rows[name+" is too deep"] = move(name, strings.Repeat("d/", 40)+name)
			rows[name+" is a link"] = func(f folder) string {
				move(name, "../elsewhere")(f)
				f[name] = &fstest.MapFile{Data: []byte("../elsewhere/" + name), Mode: fs.ModeSymlink, ModTime: sdktest.Epoch}
				return ""
			}
		}
		for file, text := range files {
			other := func(text string) change {
				return func(f folder) string {
					changed := everyForm(t)
					changed[name][file] = text
					putAll(t, f, changed, later)
					return ""
				}
			}
			if !strings.HasSuffix(name, ".zip") {
				rows[name+"/"+file+" cannot be opened"] = func(f folder) string {
					return data(name+"/"+file, bytes.Clone)(f) + name + "/" + file
				}
			} else {
				rows[name+" is damaged at the beginning of "+file] = data(name, func(data []byte) []byte { return spoiled(data, file, true) })
				rows[name+" is damaged behind "+file] = data(name, func(data []byte) []byte { return spoiled(data, file, false) })
			}
			rows[name+" has "+file+" cut"] = other(text[:len(text)-20])
			rows[name+" has "+file+" without a byte"] = other("")
			for what, words := range map[string][2]string{
				"without a time":        {"2018 ", "? "},
				"without an id":         {`"id`, `"x`},
				"of another form":       {`"messageCreate"`, `"message"`},
				"without a time, a row": {"2014-01-01 ", "? "},
				"without an id, a row":  {`"4"`, `""`},
				"of another's id":       {`"5"`, `"4"`},
				"too large":             {`"ho"`, `"` + strings.Repeat("x", 5<<20) + `"`},
				"of other columns":      {`"timestamp"`, `"time"`},
				"with another wrapper":  {`"noteTweet"`, `"longTweet"`},
			} {
				if text := strings.Replace(text, words[0], words[1], 1); text != files[file] && !strings.HasSuffix(file, "_details.js") {
					rows[name+" has "+file+" with an entry "+what] = other(text)
				}
			}
		}
	}
	for name, hurt := range rows {
		for _, mode := range []string{abi.ModeIncremental, abi.ModeFullRefresh} {
			t.Run(name+", "+mode, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				putAll(t, w.folder, archives, sdktest.Epoch)
				w.collect()
				all := w.keys()
				if all != "1 2 3 4 5 6 7 8 note:9 71 72 73 76" {
					t.Fatalf("the host has %q, want the records of each archive", all)
				}
				shut := hurt(w.folder)
				for range 2 {
					res := w.run(mode, shut)
					if got := w.keys(); got != all || len(res.Skips) == 0 {
						t.Fatalf("the host has %q, want %q; the run says %v", got, all, res.Skips)
					}
				}
				whole := everyForm(t)
				for archive := range whole { // the archive is gone then, but for the newest
					if archive != "c.zip" && strings.HasPrefix(name, archive) {
						delete(whole, archive)
					}
				}
				putAll(t, w.folder, whole, sdktest.Epoch)
				w.run(abi.ModeIncremental, "")
				if got := w.keys(); (got != all) == strings.HasPrefix(name, "c.zip") {
					t.Errorf("when the archive is gone, the host has %q", got)
				}
			})
		}
	}
}

// An archive that was collected and whose list is damaged since is told as that, with the file, and not as an older one.
func TestAListThatIsDamagedLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := archived(t, map[string]string{
		"data/manifest.js": strings.Replace(described("false", listsTweets+","+listsMessages), "2026-01-01", "2026-02-01", 1),
		"data/tweets.js":   `window.YTD.tweets.part0 = [` + onePost + `]`, "data/direct-messages.js": oneMessage,
	})
	w.folder["a.zip"] = all
	w.collect()
	w.has("1", "")
	w.folder["a.zip"] = &fstest.MapFile{Data: spoiled(all.Data, "data/manifest.js", true), ModTime: sdktest.Epoch.Add(time.Hour)}
	for range 2 {
		res := w.collect()
		w.has("1", "archive_corrupt")
		if got := string(res.Skips[0].Diagnostics); !strings.Contains(got, "a.zip: data/manifest.js") || res.File("twitter_archive", "a.zip") != abi.FileDamaged {
			t.Errorf("the run names %s, and the file is %q, want the manifest, and a damaged archive", got, res.File("twitter_archive", "a.zip"))
		}
	}
}
