package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

// AC-05, AC-06: a latitude or longitude is read in each form that an export has it in, and one that is none is told with its
// entry, in each run.
func TestWhereThingsWere(t *testing.T) {
	t.Parallel()
	place := func(members string) string {
		return `{"locations":[{` + members + `,"timestamp":"2025-01-02T03:04:05Z"}]}`
	}
	photo := func(members string) string {
		return `{"title":"x","photoTakenTime":{"timestamp":"1700000000"},` + members + `}`
	}
	for name, c := range map[string]struct{ text, latitude, longitude, told string }{
		"beyond 32 bits":           {place(`"latitudeE7":3954907296,"longitudeE7":3554907296`), "-34.006", "-74.006", ""},
		"as texts":                 {place(`"latitudeE7":"525200000","longitudeE7":"-134050000"`), "52.52", "-13.405", ""},
		"at the ends of the earth": {place(`"latitudeE7":-900000000,"longitudeE7":1800000000`), "-90", "180", ""},
		"nowhere": {place(`"latitudeE7":900000001,"longitudeE7":-1800000001`), "null", "null",
			"place_not_on_earth[Takeout/x.json, entry 1, latitudeE7; Takeout/x.json, entry 1, longitudeE7]manual_action_required"},
		"a word":               {place(`"latitudeE7":"north","longitudeE7":1`), "null", "1e-07", "place_not_on_earth[Takeout/x.json, entry 1, latitudeE7]manual_action_required"},
		"null":                 {place(`"latitudeE7":null,"longitudeE7":null`), "null", "null", ""},
		"a photo":              {photo(`"geoData":{"latitude":48.1,"longitude":11.5},"geoDataExif":{"latitude":1.5,"longitude":2.5}`), "48.1", "11.5", ""},
		"of the camera":        {photo(`"geoData":{"latitude":0.0,"longitude":0.0,"altitude":0.0},"geoDataExif":{"latitude":48.1,"longitude":11.5}`), "48.1", "11.5", ""},
		"of the camera alone":  {photo(`"geoDataExif":{"latitude":48.1,"longitude":11.5}`), "48.1", "11.5", ""},
		"a photo's as texts":   {photo(`"geoData":{"latitude":"48.1","longitude":"11.5"}`), "48.1", "11.5", ""},
		"a photo without":      {photo(`"geoData":{"latitude":0.0,"longitude":0.0},"geoDataExif":{"latitude":0.0,"longitude":0.0}`), "null", "null", ""},
		"a photo without both": {photo(`"description":"x"`), "null", "null", ""},
		"a photo nowhere": {photo(`"geoData":{"latitude":90.5,"longitude":181}`), "null", "null",
			"place_not_on_earth[Takeout/x.json, entry 1, latitude; Takeout/x.json, entry 1, longitude]manual_action_required"},
	} {
		f := folder{"Takeout/x.json": &fstest.MapFile{Data: []byte(c.text)}}
		first := f.collect(t)
		for _, r := range append(first.Records(streamLocations), first.Records(streamPhotos)...) {
			if want := `"latitude":` + c.latitude + `,"longitude":` + c.longitude + `,`; !strings.Contains(string(r.Data), want) {
				t.Errorf("%s: got %s, want %s", name, r.Data, want)
			}
		}
		if n := len(first.Records(streamLocations)) + len(first.Records(streamPhotos)); n != 1 {
			t.Errorf("%s: %d records, want 1", name, n)
		}
		if got := told(first); got != c.told {
			t.Errorf("%s: the run says %q, want %q", name, got, c.told)
		}
		if got := told(first.SecondRun(t, nil)); got != c.told {
			t.Errorf("%s: the second run says %q, want %q", name, got, c.told)
		}
	}
}
