package main

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/csv"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
)

// The names of histories and of lists of activities without their endings, and of the folder that has YouTube's, by
// language: https://github.com/d3i-infra/data-donation-task, google.py.
var (
	watchHistories = names("watch-history|Wiedergabeverlauf|kijkgeschiedenis|historial-de-reproducciones|historial de reproducciones|" +
		"سجل المشاهدة|izleme geçmişi|İzleme geçmişi|\u89c2\u770b\u8bb0\u5f55")
	otherHistories = names("search-history|Suchverlauf|zoekgeschiedenis|historial-de-búsqueda|historial de búsquedas|سجلّ البحث|سجل البحث|arama geçmişi|" +
		"\u641c\u7d22\u8bb0\u5f55|MyActivity|My Activity|MeineAktivitäten|MiActividad|نشاطي|Etkinliğim|\u6211\u7684\u6d3b\u52a8\u8bb0\u5f55")
	historyFolders = names("history|Verlauf|geschiedenis|historial|السجلّ|سجل|geçmiş|\u5386\u53f2\u8bb0\u5f55|\u8bb0\u5f55")
)

// historyColumns begin the names of columns of a history, in English and German.
var historyColumns = []string{"watched", "viewed", "searched", "query", "search query", "angesehen", "gesucht", "suchanfrage"}

// title returns the last part of a file's name without its ending, in lower case.
func title(f *exports.File) string {
	return strings.ToLower(strings.TrimSuffix(f.Base(), path.Ext(f.Name)))
}

// isWatchHistory reports whether the name says that an activity without an address is a video that
// was removed.
func isWatchHistory(f *exports.File) bool { return watchHistories[title(f)] }

// inHistory reports whether a file lies in a folder of YouTube's own, of which the histories have one in it: the
// activities of My Activity lie in another product's, or right in a folder that is called so.
func inHistory(f *exports.File) bool {
	folder, _ := product(f)
	_, within, _ := strings.Cut("/"+f.Name, "/"+folder+"/")
	return strings.Contains(folder, "YouTube") && strings.Contains(within, "/")
}

// namesHistory reports whether a file's name, or that of a folder around it, says that it is a history.
func namesHistory(f *exports.File) bool {
	name := title(f)
	return watchHistories[name] || otherHistories[name] ||
		slices.ContainsFunc(strings.Split(path.Dir(f.Name), "/"), func(folder string) bool { return historyFolders[strings.ToLower(folder)] })
}

// hasHistory reports whether the row at hand is one of a history: a column says so, or it has a day beside the address
// of a video or of a search.
func hasHistory(in *csv.Reader) bool {
	says := func(column string) bool {
		return slices.ContainsFunc(historyColumns, func(begins string) bool { return strings.HasPrefix(strings.ToLower(column), begins) })
	}
	leads := func(field string) bool {
		_, search := queryOf(field)
		return strings.HasPrefix(field, "http") && (search || isVideo(field))
	}
	return slices.ContainsFunc(in.Columns(), says) || slices.ContainsFunc(in.Row(), leads) && slices.ContainsFunc(in.Row(), isDated)
}

// isDated reports whether a field begins with a day.
func isDated(field string) bool {
	_, err := time.Parse(time.DateOnly, field[:min(len(field), len(time.DateOnly))])
	return err == nil
}
