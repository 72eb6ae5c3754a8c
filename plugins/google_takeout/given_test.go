package main

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// told lists the reasons of a run's skips, each with the places that it names.
func told(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		var named struct {
			Count    int      `json:"count"`
			Examples []string `json:"examples"`
		}
		if err := json.Unmarshal(s.Diagnostics, &named); err != nil {
			panic(err)
		}
		if named.Count > len(named.Examples) {
			named.Examples = append(named.Examples, "…")
		}
		list = append(list, s.Reason+"["+strings.Join(named.Examples, "; ")+"]"+strings.Trim(string(s.RecoveryHint), `"`))
	}
	return strings.Join(list, " ")
}

const removed = `[{"header":"YouTube","title":"A angesehen","titleUrl":"https://www.youtube.com/watch?v=a","time":"2025-01-02T03:04:05Z"},
	{"header":"YouTube","title":"Ein Video angesehen, das entfernt wurde","time":"2025-01-03T03:04:05Z"}]`

// AC-02, AC-06, AC-07: what each file of an export becomes: records, or words that name it.
func TestWhatBecomesOfAFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		count map[string]int
		told  string
	}{
		"a history under a German name": {
			map[string]string{"YouTube und YouTube Music/Verlauf/Wiedergabeverlauf.json": removed}, map[string]int{streamWatched: 2}, "",
		},
		"a history under a name that nobody listed": {
			map[string]string{"YouTube i YouTube Music/historia/historia.json": removed}, map[string]int{streamWatched: 2}, "",
		},
		"entries without a time": {
			map[string]string{
				"a/watch-history.json": `[{"header":"YouTube","title":"Watched x","titleUrl":"https://www.youtube.com/watch?v=x"},` + removed[1:],
				"b/My Activity.json": `[{"header":"Search","title":"Searched for a","titleUrl":"https://www.google.com/search?q=a","time":"2025-01-02T03:04:05Z"},
					{"header":"Search","title":"Searched for b","titleUrl":"https://www.google.com/search?q=b"},{"title":"Watched x","titleUrl":"https://youtu.be/c","time":"2025-01-02T03:04:05Z"}]`,
				"c/a/watch-history.json": `[{"header":"YouTube","title":"Watched x","products":["YouTube"]}]`,
			},
			map[string]int{streamWatched: 3, streamSearches: 1}, "time_missing[a.zip: Takeout/a/watch-history.json, entry 1; a.zip: Takeout/c/a/watch-history.json, entry 1]manual_action_required " +
				"time_missing[a.zip: Takeout/b/My Activity.json, entry 2]manual_action_required",
		},
		"a place of the first second of all": {
			map[string]string{"Records.json": `{"locations":[{"latitudeE7":1,"longitudeE7":1,"timestamp":"0001-01-01T00:00:00Z"},{"latitudeE7":1,"longitudeE7":1,"timestamp":"2025-01-02T03:04:05Z"}]}`},
			map[string]int{streamLocations: 1}, "time_missing[a.zip: Takeout/Records.json, entry 1]manual_action_required",
		},
		"an activity without an address, of which nothing tells what it was": {
			map[string]string{"Meine Aktivitäten/YouTube/MeineAktivitäten.json": `[{"header":"YouTube","title":"x","time":"2025-01-03T03:04:05Z"},
				{"header":"YouTube","title":"Nach x gesucht","titleUrl":"https://www.youtube.com/results?search_query=x","time":"2025-01-02T03:04:05Z"}]`},
			map[string]int{streamSearches: 1}, "entry_not_known[a.zip: Takeout/Meine Aktivitäten/YouTube/MeineAktivitäten.json, entry 1, something done on YouTube, in words that are not known]manual_action_required",
		},
		"HTML under a German name": {
			map[string]string{"YouTube und YouTube Music/Verlauf/Wiedergabeverlauf.html": "<html>A angesehen</html>", "Meine Aktivitäten/Suche/MeineAktivitäten.html": "\n<html>"},
			nil, "history_is_html[a.zip: Takeout/Meine Aktivitäten/Suche/MeineAktivitäten.html; a.zip: Takeout/YouTube und YouTube Music/Verlauf/Wiedergabeverlauf.html]manual_action_required",
		},
		"HTML that lies right in the export, and the page that describes it": {
			map[string]string{"x.html": `<div class="outer-cell">`, "Archiv_Übersicht.html": "<html>"},
			nil, "history_is_html[a.zip: Takeout/x.html]manual_action_required",
		},
		"a timeline of a phone, and the note beside it": {
			map[string]string{"Location History (Timeline)/Timeline.json": `{"semanticSegments": []}`, "Location History (Timeline)/Encrypted Backups.txt": "You have encrypted Timeline backups"},
			nil, "timeline_not_read[a.zip: Takeout/Location History (Timeline)/Timeline.json]manual_action_required",
		},
		"the note alone": {
			map[string]string{"Zeitachse/Sicherungen.txt": "You have encrypted Timeline backups"},
			nil, "timeline_is_encrypted[a.zip: Takeout/Zeitachse/Sicherungen.txt]manual_action_required",
		},
		"a timeline of Apple's": {
			map[string]string{"location-history.json": `[{"startTime":"2025-04-03T08:00:00Z","endTime":"x","visit":{}},{"startTime":"x","activity":{}}]`},
			nil, "timeline_not_read[a.zip: Takeout/location-history.json]manual_action_required",
		},
		"a month of semantic places": {
			map[string]string{"Standortverlauf/2022/2022_DECEMBER.json": `{"timelineObjects": [{"placeVisit": {"location": {"latitudeE7": 525000000}}}]}`},
			nil, "timeline_not_read[a.zip: Takeout/Standortverlauf/2022/2022_DECEMBER.json]manual_action_required",
		},
		"a history whose beginning is missing": {
			map[string]string{"YouTube/history/watch-history.json": `A angesehen","time":"2025-01-01T03:04:05Z"},` + removed[1:]}, map[string]int{streamWatched: 2},
			"jsonstream_syntax[a.zip: Takeout/YouTube/history/watch-history.json, the beginning is missing, up to an element at byte 44]manual_action_required",
		},
		"a history cut in front of an entry": {
			map[string]string{"YouTube/history/watch-history.json": removed[1:]}, map[string]int{streamWatched: 2},
			"jsonstream_syntax[a.zip: Takeout/YouTube/history/watch-history.json, the beginning is missing, up to an element at byte 0]manual_action_required",
		},
		"places whose beginning is missing": {
			map[string]string{"Standortverlauf/Records.json": `E7": 1, "timestamp": "2020-01-01T00:00:00Z"}, {"latitudeE7": 525000000, "longitudeE7": 1, "timestamp": "2020-01-02T00:00:00Z"}]}`},
			map[string]int{streamLocations: 1},
			"jsonstream_syntax[a.zip: Takeout/Standortverlauf/Records.json, the beginning is missing, up to an element at byte 46]manual_action_required",
		},
		"halves of characters": {
			map[string]string{
				"YouTube/history/watch-history.json": strings.Replace(removed, "A angesehen", `A \ud83d angesehen`, 1),
				"Google Fotos/p.json":                `{"title":"p\ud83d","photoTakenTime":{"timestamp":"1"}}`, "Google Fotos/q.json": `{"title":"q\ud83d\ude00","photoTakenTime":{"timestamp":"1"}}`,
			},
			map[string]int{streamWatched: 2, streamPhotos: 2},
			"file_has_half_characters[a.zip: Takeout/Google Fotos/p.json; a.zip: Takeout/YouTube/history/watch-history.json]not_retriable",
		},
		"text under the name of JSON": {map[string]string{"x.json": `no more, "header": than that`}, nil, ""},
		"a photo of 1965": {
			map[string]string{"Google Fotos/p.json": `{"title":"p","photoTakenTime":{"timestamp":"-141004800"},"url":"https://photos.google.com/photo/1"}`},
			map[string]int{streamPhotos: 1}, "",
		},
		"subscriptions under German names": {
			map[string]string{"YouTube und YouTube Music/Abos/Abos.csv": "Kanal-ID,Kanal-URL,Kanaltitel\nUC0hHW5Y08ggq-9kbrGgWj0A,http://www.youtube.com/channel/UC0hHW5Y08ggq-9kbrGgWj0A,\"Wellen, Wind\"\n"},
			map[string]int{streamSubscriptions: 1}, "",
		},
		"subscriptions under German names, whose ids are those of the addresses": {
			map[string]string{"YouTube und YouTube Music/Abos/Abos.csv": "Kanal-ID,Kanal-URL,Kanaltitel\nUC1,http://www.youtube.com/channel/UC1,Wind\nUC2,http://www.youtube.com/channel/UC2,Sand\n"},
			map[string]int{streamSubscriptions: 2}, "",
		},
		"subscriptions without names of columns": {
			map[string]string{"subscriptions.csv": "UC0hHW5Y08ggq-9kbrGgWj0A,http://www.youtube.com/channel/UC0hHW5Y08ggq-9kbrGgWj0A,Wind\n" +
				"UC1hHW5Y08ggq-9kbrGgWj0A,http://www.youtube.com/channel/UC1hHW5Y08ggq-9kbrGgWj0A,Sand\nUC2hHW5Y08ggq-9kbrGgWj0A,http://www.youtube.com/channel/UC2hHW5Y08ggq-9kbrGgWj0A,Mer\n"},
			map[string]int{streamSubscriptions: 3}, "",
		},
		"a single subscription without names of columns": {
			map[string]string{"subscriptions.csv": "UC0hHW5Y08ggq-9kbrGgWj0A,http://www.youtube.com/channel/UC0hHW5Y08ggq-9kbrGgWj0A,Wind"},
			map[string]int{streamSubscriptions: 1}, "",
		},
		"subscriptions with damaged rows": {
			map[string]string{"YouTube et YouTube Music/abonnements/abonnements.csv": "ID des chaînes,URL des chaînes,Titres des chaînes\n" +
				"UC0,nowhere,\"open\nUC1hHW5Y08ggq-9kbrGgWj0A,http://www.youtube.com/channel/UC1hHW5Y08ggq-9kbrGgWj0A,\"Vent\"\n,,\n" +
				"UC2hHW5Y08ggq-9kbrGgWj0A,http://www.youtube.com/channel/UC2hHW5Y08ggq-9kbrGgWj0A,Mer, soleil\n"},
			map[string]int{streamSubscriptions: 2}, "row_incomplete[a.zip: Takeout/YouTube et YouTube Music/abonnements/abonnements.csv, line 4]manual_action_required " +
				"csv_syntax[a.zip: Takeout/YouTube et YouTube Music/abonnements/abonnements.csv, the row in line 2; line 5 has 4 fields, and not 3]manual_action_required",
		},
		"a list of channels in a form that is not known": {
			map[string]string{"YouTube und YouTube Music/Abos/Abos.csv": "Kanal-ID,Kanaltitel\nUC0hHW5Y08ggq-9kbrGgWj0A,Wind\nUC1hHW5Y08ggq-9kbrGgWj0A,Sand\n"},
			nil, "",
		},
		"a list of channels in a form that is not known, and without names": {
			map[string]string{"YouTube und YouTube Music/Abos/Abos.csv": "UC0hHW5Y08ggq-9kbrGgWj0A,Wind\nUC1hHW5Y08ggq-9kbrGgWj0A,Sand\n"},
			nil, "",
		},
		"a list of channels without their ids": {
			map[string]string{"YouTube and YouTube Music/subscriptions/subscriptions.csv": "Channel Url,Channel Title\nhttp://www.youtube.com/channel/UC9,C9\n"},
			nil, "",
		},
		"a list of channels without their ids, in a folder that nobody listed": {
			map[string]string{"YouTube et YouTube Music/kanavat/kanavat.csv": "A,B\nhttp://www.youtube.com/channel/UC9,C9\n"},
			nil, "",
		},
		"a list of channels by their titles": {
			map[string]string{"YouTube y YouTube Music/suscripciones/canales.csv": "Título\nViento\n"},
			nil, "",
		},
		"a list of channels by their titles, by its name": {
			map[string]string{"YouTube et YouTube Music/x/abonnements.csv": "Titre\nVent\n"},
			nil, "",
		},
		"tables of YouTube's that no stream has": {
			map[string]string{
				"YouTube und YouTube Music/Kanäle/Kanal.csv":               "Kanal-ID,Land,Titel\nUC0hHW5Y08ggq-9kbrGgWj0A,DE,Mira\n",
				"YouTube und YouTube Music/Kommentare/Kommentare.csv":      "Kommentar-ID,Kanal-ID,Zeit,Preis,Text\na,UC0hHW5Y08ggq-9kbrGgWj0A,x,0,hi\nb,UC1hHW5Y08ggq-9kbrGgWj0A,x,0,ho\n",
				"YouTube und YouTube Music/Playlists/Favoriten-Videos.csv": "Video-ID,Zeit\nabc,x\ndef,y\n",
			},
			nil, "",
		},
		"subscriptions in a table that Excel wrote": {
			map[string]string{"abos.csv": "\xff\xfe" + strings.Join(strings.Split("Kanal-ID\tKanal-URL\tKanaltitel\r\nUC0hHW5Y08ggq-9kbrGgWj0A\thttp://www.youtube.com/channel/UC0hHW5Y08ggq-9kbrGgWj0A\tWind\r\n", ""), "\x00") + "\x00"},
			map[string]int{streamSubscriptions: 1}, "",
		},
		"JSON in UTF-16": {
			map[string]string{"Google Fotos/p.json": "\xff\xfe" + strings.Join(strings.Split(`{"title":"p","photoTakenTime":{"timestamp":"1"}}`, ""), "\x00") + "\x00"},
			map[string]int{streamPhotos: 1}, "",
		},
		"JSON in Windows-1252": {
			map[string]string{"Google Fotos/p.json": "{\"title\":\"K\xf6ln\",\"photoTakenTime\":{\"timestamp\":\"1\"}}"},
			map[string]int{streamPhotos: 1}, "file_is_windows_1252[a.zip: Takeout/Google Fotos/p.json]not_retriable",
		},
		"a damaged entry between others": {
			map[string]string{"h.json": `[{"header":"Search","titleUrl":"https://www.google.com/search?q=a","time":"2025-01-02T03:04:05Z"},{"header":oops},` +
				`{"header":"Search","titleUrl":"https://www.google.com/search?q=b","time":"2025-01-02T03:04:05Z"}]`},
			map[string]int{streamSearches: 2}, "jsonstream_syntax[a.zip: Takeout/h.json, a value before is not JSON at byte 113]manual_action_required",
		},
		"files that are nothing": {
			map[string]string{"a/x.json": `{"y":1}`, "a/b.bin": "\x01\x02", "a/c.csv": "a,b\n1,2\n", "a/d.json": `[{"y":1}]`},
			nil, "",
		},
		"products whose folders have German names": {
			map[string]string{
				"Kontakte/Meine/Alle.vcf": "BEGIN:VCARD", "Kalender/mira.ics": "BEGIN:VCALENDAR", "Aufgaben/Aufgaben.json": `{"kind":"tasks#taskLists","items":[]}`,
				"Notizen/Einkauf.json": `{"color":"DEFAULT","isTrashed":false,"isPinned":false,"textContent":"Milch","userEditedTimestampUsec":1}`,
				"Notizen/Einkauf.html": `<?xml version="1.0" ?><!DOCTYPE html><html><body><div class="note">Milch</div></body></html>`,
			},
			nil, "",
		},
		"folders of products that the page of the export names": {
			map[string]string{
				"Archiv_Übersicht.html": `<html><div class="service_name"><h1 class="data-folder-name" data-english-name="CHROME" data-folder-name="Chrøme">Chrøme</h1></div>` +
					`<h1 class="data-folder-name" data-english-name="MY_MAPS" data-folder-name="Meine &amp; Karten">x</h1>` +
					`<h1 class="data-folder-name" data-english-name="PURCHASES_AND_MORE" data-folder-name="Neues">x</h1><h1 data-english-name="KEEP">x</h1><h1 data-folder-name="Anderes">x</h1>` +
					`<h1 class="data-folder-name" data-english-name="YOUTUBE" data-folder-name="Videos">x</h1>`,
				"Chrøme/Verlauf.json": `{"Browser History": []}`, "Meine & Karten/a.kml": "<?xml", "Videos/Verlauf/Wiedergabeverlauf.json": removed,
			},
			map[string]int{streamWatched: 2}, "",
		},
		"a product that the page of the export names, and that nobody listed": {
			map[string]string{
				"Archiv_Übersicht.html": `<h1 data-english-name="NEW_PRODUCT" data-folder-name="Neues">x</h1><h1 data-english-name="KEEP"></h1><h1 data-folder-name="Neues">`,
				"Neues/Verlauf.json":    `{"Browser History": []}`,
			},
			nil, "",
		},
		"files that rules are for": {
			map[string]string{"Keep/x.json": "{", "Chrome/y.html": "<", "Google Photos/a/a.jpg": "J", "__MACOSX/Takeout/._x": "x", "e.json": "[]", "Location History/Settings.json": `{"deviceSettings":[]}`},
			nil, "",
		},
		"an archive within": {
			map[string]string{"takeout-2.zip": "PK"}, nil, "archive_nested[a.zip: Takeout/takeout-2.zip]manual_action_required",
		},
	} {
		f := folder{}
		f.put(t, "a.zip", c.files)
		res := f.collect(t)
		for _, stream := range []string{streamLocations, streamWatched, streamSearches, streamPhotos, streamMail, streamSubscriptions} {
			if got := len(res.Records(stream)); got != c.count[stream] {
				t.Errorf("%s: %d records of %s, want %d", name, got, stream, c.count[stream])
			}
		}
		if e := res.Entries("google_takeout", "a.zip"); name == "files that are nothing" && res.File("google_takeout", "a.zip") != abi.FileUnknown && (e == nil || e.Unknown != 4) {
			t.Errorf("%s: got %+v, want 4 entries that are not known", name, e)
		}
		if e := res.Entries("google_takeout", "a.zip"); strings.HasPrefix(name, "a list of channels") && (res.File("google_takeout", "a.zip") != abi.FileUnknown || e != nil && e.Unknown != 1) {
			t.Errorf("%s: got %q, %+v, want that it is not understood", name, res.File("google_takeout", "a.zip"), e)
		}
		if e := res.Entries("google_takeout", "a.zip"); (strings.HasPrefix(name, "products") || strings.HasPrefix(name, "tables of YouTube")) && (res.File("google_takeout", "a.zip") != abi.FileKnown || e == nil || e.Unknown != 0) {
			t.Errorf("%s: got %q, %+v, want nothing that is not known", name, res.File("google_takeout", "a.zip"), e)
		}
		if e := res.Entries("google_takeout", "a.zip"); strings.HasPrefix(name, "folders of products") && (e == nil || e.Unknown != 0 || e.Rule != 3) {
			t.Errorf("%s: got %+v, want the page and two files passed over by rules", name, e)
		}
		if e := res.Entries("google_takeout", "a.zip"); strings.HasPrefix(name, "a product that the page") && res.File("google_takeout", "a.zip") != abi.FileUnknown && (e == nil || e.Unknown != 1) {
			t.Errorf("%s: got %+v, want that it is not understood", name, e)
		}
		if got := told(res); got != c.told {
			t.Errorf("%s: the run says %q, want %q", name, got, c.told)
		}
		if again := res.SecondRun(t, nil); told(again) != told(res) {
			t.Errorf("%s: the second run says %q, want the same", name, told(again))
		}
	}
}

// AC-07: what the labels of a message say, in languages whose names are known; nothing elsewhere.
func TestLabelsInOtherLanguages(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Inbox,Unread":                                "nnn",
		"Inbox,Opened,Starred":                        "nyy",
		"Inbox":                                       "nny",
		"Draft,Opened":                                "yny",
		"Posteingang,Ungelesen":                       "nnn",
		"Posteingang,Geöffnet,Markiert":               "nyy",
		"Entwürfe,Geöffnet":                           "yny",
		"Boîte de réception,Non lus":                  "nnn",
		"Archivés,Envoyé":                             "nny",
		"Brouillons":                                  "y?y",
		"Recibidos,No leídos,Destacados":              "nyn",
		"Caixa de entrada,Não lidos":                  "??n",
		"Posta in arrivo,Aperti":                      "??y",
		"Odesláno,Nepřečtené":                         "??n",
		"Входящие,Непрочитанные":                      "??n",
		"\u53d7\u4fe1\u30c8\u30ec\u30a4,\u672a\u8aad": "???",
		"Trips":                                 "???",
		"":                                      "???",
		"=?UTF-8?Q?Ge=C3=B6ffnet,Posteingang?=": "nny",
	} {
		f := folder{}
		f["all.mbox"] = &fstest.MapFile{Data: []byte("From 1@xxx Mon Mar 02 08:00:00 +0000 2026\nSubject: x\nX-Gmail-Labels: " + in + "\n\n\n")}
		var got struct {
			Draft   *bool `json:"is_draft"`
			Flagged *bool `json:"is_flagged"`
			Seen    *bool `json:"is_seen"`
		}
		if err := json.Unmarshal([]byte(data(f.collect(t), streamMail)), &got); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, b := range []*bool{got.Draft, got.Flagged, got.Seen} {
			switch {
			case b == nil:
				text += "?"
			case *b:
				text += "y"
			default:
				text += "n"
			}
		}
		if text != want {
			t.Errorf("%s: is it a draft, starred, seen: got %s, want %s", in, text, want)
		}
	}
}

// AC-07: the words around the title of a video that was watched, by language.
func TestTitlesInOtherLanguages(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Watched Waves": "Waves", "Waves angesehen": "Waves", "Vous avez regardé Waves": "Waves", "Has visto Waves": "Waves", "Hai guardato Waves": "Waves",
		"Je hebt naar Waves gekeken": "Waves", "Waves を視聴しました": "Waves", "Waves 을(를) 시청했습니다.": "Waves", "Så på Waves": "Waves", "Så Waves": "Waves",
		"Obejrzano: Waves": "Waves", "Просмотрено видео Waves": "Waves", "Megtekintette a következőt: Waves": "Waves",
		"Waves": "Waves", "": "", "Watched ": "Watched ",
	} {
		if got := videoTitle(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// AC-06, AC-07: a damaged mailbox gives its messages, and says where it is damaged and how it was read.
func TestADamagedMailbox(t *testing.T) {
	t.Parallel()
	f := folder{}
	f["all.mbox"] = &fstest.MapFile{Data: []byte("the end of a letter\n\nFrom 1@xxx Mon Mar 02 08:00:00 +0000 2026\nSubject: Gr\xfc\xdfe\n\n\nFrom 2@xxx Mon Mar 02 08:00:00 +0000 2026\nSubj")}
	res := f.collect(t)
	const want = "mbox_damaged[all.mbox, what stands in front of the first message, at byte 0]manual_action_required file_is_windows_1252[all.mbox]not_retriable"
	if got := told(res); got != want || len(res.Records(streamMail)) != 1 {
		t.Errorf("got %d messages and %q, want 1 and %q", len(res.Records(streamMail)), got, want)
	}
}

// The time of a photo before 1970 is below zero.
func TestAPhotoBefore1970(t *testing.T) {
	t.Parallel()
	f := folder{}
	f.put(t, "a.zip", map[string]string{"p.json": `{"title":"p","photoTakenTime":{"timestamp":"-141004800"}}`})
	if got := data(f.collect(t), streamPhotos); !strings.Contains(got, `"event_time":"1965-07-14T00:00:00Z"`) {
		t.Errorf("got %s, want 1965-07-14", got)
	}
}

// A comma within quotes is a label's own.
func TestALabelWithAComma(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`Inbox,"Trips, 2024",Unread`: "Inbox|Trips, 2024|Unread", ``: "", `a,,b`: "a|b", `"a \" b",c`: `a " b|c`, `5" disks,x`: `5" disks|x`, `"open`: "open", `a, "b,c"`: "a|b,c",
	} {
		if got := strings.Join(labels(in), "|"); got != want {
			t.Errorf("%s has the labels %q, want %q", in, got, want)
		}
	}
}

// AC-08: what lies unpacked beside archives is read, in any folder, and a missing part is named.
func TestUnpackedAndInParts(t *testing.T) {
	t.Parallel()
	photo := func(n string) string { return `{"title":"p","photoTakenTime":{"timestamp":"` + n + `"}}` }
	f := folder{}
	f.put(t, "takeout-20260101T000000Z-001.zip", map[string]string{"Google Photos/1.json": photo("1")})
	f.put(t, "old/takeout-20260101T000000Z-003.zip", map[string]string{"Google Photos/3.json": photo("3")})
	f["Takeout/Google Photos/4.json"] = &fstest.MapFile{Data: []byte(photo("4"))}
	f["Records.json"] = &fstest.MapFile{Data: []byte(`{"locations":[{"timestampMs":"1","latitudeE7":1,"longitudeE7":5}]}`)}
	f[".DS_Store"] = &fstest.MapFile{Data: []byte("x")}
	f["takeout-2.zip.crdownload"] = &fstest.MapFile{Data: []byte("PK")}
	first := f.collect(t)
	const missing = "export_part_missing[part 2 of 3 is not there: takeout-20260101T000000Z]manual_action_required"
	const unfinished = "download_unfinished[takeout-2.zip.crdownload]manual_action_required"
	if got := told(first); got != missing+" "+unfinished {
		t.Errorf("the run says %q, want %q", got, missing+" "+unfinished)
	}
	if p, l := len(first.Records(streamPhotos)), len(first.Records(streamLocations)); p != 3 || l != 1 {
		t.Errorf("%d photos and %d places, want 3 and 1", p, l)
	}
	delete(f, "takeout-2.zip.crdownload")
	f.put(t, "takeout-20260101T000000Z-002.zip", map[string]string{"Google Photos/2.json": photo("2")})
	second := first.SecondRun(t, nil)
	if got := told(second); got != "" || len(second.Records(streamPhotos)) != 1 {
		t.Errorf("with the part: %q and %d photos, want nothing said, and 1", got, len(second.Records(streamPhotos)))
	}
	// A part that was read and put away is not missed, and a loose file that changed is read again.
	delete(f, "takeout-20260101T000000Z-002.zip")
	f["Takeout/Google Photos/5.json"] = &fstest.MapFile{Data: []byte(photo("5")), ModTime: sdktest.Epoch.AddDate(1, 0, 0)}
	third := second.SecondRun(t, nil)
	if got := told(third.SecondRun(t, nil)); got != "" || len(third.Records(streamPhotos)) != 2 {
		t.Errorf("without it: %q and %d photos, want nothing said, and the 2 loose ones", got, len(third.Records(streamPhotos)))
	}
}
