package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk/csv"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-02: with each reason that asks its owner for something a file is accounted for, or its archive, in the run that
// reads it and in the next: what is told of it ends with the owner's word. collect looks for the file.
func TestEachReasonIsOfAFile(t *testing.T) {
	t.Parallel()
	const video = `{"header":"YouTube","title":"Watched x","titleUrl":"https://www.youtube.com/watch?v=x","time":"never"}`
	rows := map[string]map[string]string{
		problemHTML:                   {"x.html": `<div class="outer-cell">`},
		problemTimeline:               {"Timeline.json": `{"semanticSegments":[{"startTime":"x"}]}`},
		problemMap:                    {"Location History/Location History.kml": "<?xml version='1.0'?>\n<kml xmlns='x'><Document/></kml>", "x.xml": "<?xml version='1.0'?><gpx/>"},
		problemSealed:                 {"Zeitachse/x.txt": "You have encrypted Timeline backups"},
		problemTime:                   {"a/watch-history.json": "[" + video + "]", "p.json": `{"title":"p","photoTakenTime":{"timestamp":""}}`, "a.mbox": "From MAILER\nSubject: x\n\nbody\n"},
		problemPlace:                  {"Records.json": `{"locations":[{"latitudeE7":1,"longitudeE7":"east","timestamp":"2025-01-02T03:04:05Z"}]}`, "p.json": `{"title":"p","photoTakenTime":{"timestamp":"1"},"geoData":{"latitude":91}}`},
		problemRow:                    {"subscriptions.csv": "Channel Id,Channel Url,Channel Title\nUC1,http://a,A\n,http://b,B\n"},
		problemStrange:                {"My Activity/Search/MyActivity.json": `[` + oneSearch + `,17]`},
		problemEmpty:                  {"x.json": ""},
		problemLarge:                  {"subscriptions.csv": "Channel Id,Channel Url,Channel Title\nUC1,http://a,A\nUC2,http://b," + trial.Noise(csv.RowBytes) + "\n"},
		"time_missing and csv_syntax": {"subscriptions.csv": "Channel Id,Channel Url,Channel Title\n\"UC1\"x,http://a,A\n,http://b,B\n"},
	}
	for _, p := range problems {
		if p.Hint == owner && rows[p.Code] == nil {
			t.Errorf("no file is given of which %s is told", p.Code)
		}
	}
	for code, files := range rows {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			packed, loose := folder{}, folder{}
			packed.put(t, "a.zip", files)
			for name, content := range files {
				loose["Takeout/"+name] = &fstest.MapFile{Data: []byte(content), ModTime: sdktest.Epoch}
			}
			for _, f := range []folder{packed, loose} {
				first := f.collect(t)
				second := first.SecondRun(t, nil)
				if got := trial.Unaccounted(second); got != "" {
					t.Errorf("no file is accounted for with %s in the second run", got)
				}
				for _, res := range []*sdktest.Result{first, second} {
					if got := skips(res); !strings.Contains(got, strings.Fields(code)[0]) && !strings.Contains(code, " ") || len(res.Skips) == 0 {
						t.Errorf("the run says %q, want %s", got, code)
					}
				}
			}
		})
	}
}
