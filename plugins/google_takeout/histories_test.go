package main

import (
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-02: YouTube's histories are collected, so a table with one is no file of a product that is not: by its folder, by its
// name, by its columns or by its rows.
func TestAHistoryAsATable(t *testing.T) {
	t.Parallel()
	const (
		folderName = "YouTube and YouTube Music/"
		watched    = "Video ID,Title,Watched at\nabcdefghijk,x,2026-01-01T00:00:00Z\n"
		other      = "Video ID,Comment Text\nabcdefghijk,x\n"
		address    = "https://www.youtube.com/watch?v=abcdefghijk"
	)
	for name, c := range map[string]struct{ file, text, want string }{
		"a watch history":                {folderName + "history/watch-history.csv", watched, abi.FileUnknown},
		"a search history":               {folderName + "history/search-history.csv", "Query,Time\nx,2026-01-01T00:00:00Z\n", abi.FileUnknown},
		"one in German":                  {"YouTube und YouTube Music/Verlauf/Wiedergabeverlauf.csv", "Video-ID,Titel,Angesehen\nabcdefghijk,x,2026-01-01T00:00:00Z\n", abi.FileUnknown},
		"another file in the folder":     {"YouTube und YouTube Music/Verlauf/x.csv", other, abi.FileUnknown},
		"in a folder of the folder":      {"YouTube und YouTube Music/Verlauf/2026/x.csv", other, abi.FileUnknown},
		"in Turkish":                     {"YouTube ve YouTube Music/x/İzleme geçmişi.csv", other, abi.FileUnknown},
		"searches in Turkish":            {"YouTube ve YouTube Music/x/arama geçmişi.csv", other, abi.FileUnknown},
		"a table of activities":          {"YouTube/My Activity.csv", other, abi.FileUnknown},
		"activities in German":           {"YouTube/MeineAktivitäten.csv", other, abi.FileUnknown},
		"in My Activity":                 {"My Activity/YouTube/MyActivity.csv", other, abi.FileUnknown},
		"by a column":                    {folderName + "x/x.csv", watched, abi.FileUnknown},
		"by a column of searches":        {folderName + "x/x.csv", "Suchanfrage,Zeit\nx,y\n", abi.FileUnknown},
		"by an address with a date":      {folderName + "x/x.csv", "a,b\n" + address + ",2026-01-01 10:00\n", abi.FileUnknown},
		"by a search with a date":        {folderName + "x/x.csv", "a,b\nhttps://www.youtube.com/results?search_query=x,2026-01-01\n", abi.FileUnknown},
		"an address without a date":      {folderName + "music/songs.csv", "Song URL,Title\n" + address + ",2026\n", abi.FileRule},
		"a date without an address":      {folderName + "playlists/x.csv", "Video ID,Time\nabcdefghijk,2026-01-01T00:00:00Z\n", abi.FileRule},
		"an address and a date in texts": {folderName + "comments/x.csv", "a,b\nsee " + address + ",on 2026-01-01\n", abi.FileRule},
		"an address in a text":           {folderName + "comments/x.csv", "a,b\nsee " + address + ",2026-01-01\n", abi.FileRule},
		"comments":                       {folderName + "comments/comments.csv", other, abi.FileRule},
		"a playlist of that name":        {folderName + "playlists/Watch later-videos.csv", "Video ID,Playlist Video Creation Timestamp\nabcdefghijk,2024-01-01T00:00:00+00:00\n", abi.FileRule},
		"of another product":             {"Chrome/history/History.csv", other, abi.FileRule},
	} {
		f := folder{"Takeout/" + c.file: &fstest.MapFile{Data: []byte(c.text)}}
		res := f.collect(t)
		if got := res.File("google_takeout", "Takeout/"+c.file); got != c.want {
			t.Errorf("%s: the file is %q, want %q", name, got, c.want)
		}
	}
}
