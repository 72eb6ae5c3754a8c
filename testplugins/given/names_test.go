package given

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// languages are names of Takeout's in other languages, with those in docs/formats.md and exports in German.
var languages = map[string]map[string]string{
	"German": {
		"YouTube and YouTube Music": "YouTube und YouTube Music", "history": "Verlauf", "watch-history.json": "Wiedergabeverlauf.json",
		"search-history.json": "Suchverlauf.json", "subscriptions": "Abos", "subscriptions.csv": "Abos.csv", "My Activity": "Meine Aktivitäten",
		"MyActivity.json": "MeineAktivitäten.json", "Google Photos": "Google Fotos", "Photos from 2026": "Fotos von 2026", "archive_browser.html": "Archiv_Übersicht.html",
		"Location History (Timeline)": "Standortverlauf (Zeitachse)", "Channel Id,Channel Url,Channel Title": "Kanal-ID,Kanal-URL,Kanaltitel",
	},
	"French": {
		"YouTube and YouTube Music": "YouTube et YouTube Music", "history": "historique", "watch-history.json": "historique des vidéos regardées.json",
		"subscriptions": "abonnements", "subscriptions.csv": "abonnements.csv",
		"My Activity": "Mon activité", "MyActivity.json": "MonActivité.json", //nolint:misspell // French
		"Photos from 2026": "Photos de 2026", "Channel Id,Channel Url,Channel Title": "ID des chaînes,URL des chaînes,Titres des chaînes",
	},
	"Spanish": {
		"YouTube and YouTube Music": "YouTube y YouTube Music", "history": "historial", "watch-history.json": "historial de reproducciones.json",
		"subscriptions": "suscripciones", "subscriptions.csv": "suscripciones.csv", "My Activity": "Mi actividad", "MyActivity.json": "MiActividad.json",
		"Photos from 2026": "Fotos de 2026",
	},
	"Portuguese": {
		"YouTube and YouTube Music": "YouTube e YouTube Music", "history": "histórico", "watch-history.json": "histórico-de-visualização.json",
		"subscriptions": "inscrições", "subscriptions.csv": "inscrições.csv", "My Activity": "Minha atividade", "MyActivity.json": "Minhaatividade.json",
		"Photos from 2026": "Fotos de 2026",
	},
	"Japanese": {
		"YouTube and YouTube Music": "YouTube \u3068 YouTube Music", "history": "\u5c65\u6b74", "watch-history.json": "\u518d\u751f\u5c65\u6b74.json",
		"subscriptions": "\u767b\u9332\u30c1\u30e3\u30f3\u30cd\u30eb", "subscriptions.csv": "\u767b\u9332\u30c1\u30e3\u30f3\u30cd\u30eb.csv",
		"My Activity": "\u30de\u30a4\u30a2\u30af\u30c6\u30a3\u30d3\u30c6\u30a3", "MyActivity.json": "\u30de\u30a4\u30a2\u30af\u30c6\u30a3\u30d3\u30c6\u30a3.json",
		"Channel Id,Channel Url,Channel Title": "\u30c1\u30e3\u30f3\u30cd\u30eb ID,\u30c1\u30e3\u30f3\u30cd\u30eb URL,\u30c1\u30e3\u30f3\u30cd\u30eb\u540d",
	},
}

// entries are the files in a zip; nil for what is none.
func entries(b []byte) given {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil
	}
	g := given{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			panic(err)
		}
		if g[f.Name], err = io.ReadAll(in); err != nil {
			panic(err)
		}
	}
	return g
}

// zip packs the files.
func (g given) zip() []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range sorted(g) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(g[name])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// renamed returns the folder with other names in its archive; nil for one without an archive.
func (g given) renamed(name func(segment string) string, header string) given {
	packed := entries(g[g.main()])
	if packed == nil {
		return nil
	}
	out := given{}
	for at, b := range packed {
		segments := strings.Split(at, "/")
		for i := range segments {
			segments[i] = name(segments[i])
		}
		if header != "" {
			b = bytes.Replace(b, []byte("Channel Id,Channel Url,Channel Title"), []byte(header), 1)
		}
		out[strings.Join(segments, "/")] = b
	}
	return given{g.main(): out.zip()}
}

// halves returns the archive of a folder as two parts of one export; nil for a folder without one. Both have
// the files that describe it.
func (g given) halves() given {
	packed := entries(g[g.main()])
	if packed == nil {
		return nil
	}
	parts := [2]given{{}, {}}
	for i, at := range sorted(packed) {
		parts[i%2][at] = packed[at]
		switch path.Base(at) {
		case "manifest.js", "account.js", "archive_browser.html", "Your archive.html":
			parts[1-i%2][at] = packed[at]
		}
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(g.main(), ".zip"), "-001")
	return given{stem + "-001.zip": parts[0].zip(), stem + "-002.zip": parts[1].zip()}
}

// nameCells are the folders with translated names, and those in parts.
func nameCells() []cell {
	var list []cell
	for _, language := range slices.Sorted(maps.Keys(languages)) {
		words := languages[language]
		list = append(list, cell{name: "names in " + language, whole: true, make: func(g given) given {
			return g.renamed(func(s string) string {
				if word := words[s]; word != "" {
					return word
				}
				return s
			}, words["Channel Id,Channel Url,Channel Title"])
		}})
	}
	return append(
		list,
		cell{name: "names in a language that nobody listed", whole: true, make: func(g given) given {
			if !strings.Contains(g.main(), "takeout") { // the names in archives of X are the same everywhere
				return nil
			}
			return g.renamed(func(s string) string {
				if s == "Takeout" {
					return s
				}
				base, end, _ := strings.Cut(s, ".")
				return fmt.Sprintf("ø%x", base) + strings.Repeat("."+end, min(len(end), 1))
			}, "ø,øø,øøø")
		}},
		cell{name: "under the name of a copy", whole: true, make: func(g given) given {
			end := path.Ext(g.main())
			if path.Dir(g.main()) != "." { // a program gave it that name, and reads no other
				end = ".txt"
			}
			out := g.with(nil, given{path.Join(path.Dir(g.main()), "Übersicht (1)"+end): g[g.main()]})
			delete(out, g.main())
			return out
		}},
		cell{name: "unpacked", whole: true, make: func(g given) given { return entries(g[g.main()]) }},
		cell{name: "in two parts", whole: true, make: given.halves},
		cell{name: "in two parts whose first is missing", silent: true, make: func(g given) given {
			out := g.halves()
			for at := range out {
				if strings.HasSuffix(at, "-001.zip") {
					delete(out, at)
				}
			}
			return out
		}},
	)
}

// The cells of archives are what their names say.
func TestNameCells(t *testing.T) {
	t.Parallel()
	g := goodOf(t, "google_takeout")
	for _, c := range nameCells() {
		out := c.make(g)
		files, bytes := 0, 0
		for at, b := range out {
			packed := entries(b)
			if packed == nil {
				packed = given{at: b}
			}
			files += len(packed)
			for _, b := range packed {
				bytes += len(b)
			}
		}
		if files < 5 || c.whole && bytes < 8000 {
			t.Errorf("%s: got %d files of %d bytes", c.name, files, bytes)
		}
	}
}
