package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-04, AC-06: what is too large for a record is told with its file, its entry and its size, and the file is damaged.
func TestWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	const video = `{"header":"YouTube","title":"Watched a","titleUrl":"https://www.youtube.com/watch?v=a","time":"2025-01-02T03:04:05Z"}`
	large := func(time string) string {
		return `{"header":"YouTube","title":"Watched ` + trial.Noise(2<<20) + `","titleUrl":"https://www.youtube.com/watch?v=b","time":"2025-01-02T03:04:0` + time + `Z"}`
	}
	for name, c := range map[string]struct {
		text, stream string
		count        int
		told         string
	}{
		"a record": {
			`[` + video + `,` + large("6") + `,` + video[:len(video)-4] + `7Z"}]`, streamWatched, 2,
			"value_too_large[a.zip: Takeout/x.json, entry 2, 2097453 bytes]manual_action_required",
		},
		"one of several of a second": {
			`[` + video + `,` + large("5") + `,` + video[:len(video)-4] + `7Z"}]`, streamWatched, 2,
			"value_too_large[a.zip: Takeout/x.json, entry 2, 2097453 bytes]manual_action_required",
		},
		"a photo's description": {
			`{"title":"p","description":"` + trial.Noise(1_500_000) + `","photoTakenTime":{"timestamp":"1"}}`, streamPhotos, 0,
			"value_too_large[a.zip: Takeout/x.json, 1500065 bytes]manual_action_required",
		},
		"an object of another kind": {`{"title":"p","description":"` + trial.Noise(100_000) + `"}`, streamPhotos, 0, ""},
		"a photo's, and cut": {
			`{"photoTakenTime":{"timestamp":"1"},"description":"` + trial.Noise(100_000), streamPhotos, 0,
			"jsonstream_truncated[a.zip: Takeout/x.json, at byte 100051]manual_action_required",
		},
		"a photo that is cut": {
			`{"photoTakenTime":{"timestamp":"1"},"description":"`, streamPhotos, 0, "jsonstream_truncated[a.zip: Takeout/x.json, at byte 51]manual_action_required",
		},
	} {
		f := folder{}
		f.put(t, "a.zip", map[string]string{"x.json": c.text})
		res := f.collect(t)
		if got := len(res.Records(c.stream)); got != c.count || told(res) != c.told {
			t.Errorf("%s: got %d records and %q, want %d and %q", name, got, told(res), c.count, c.told)
		}
		if again := res.SecondRun(t, nil); told(again) != c.told {
			t.Errorf("%s: the second run says %q, want %q", name, told(again), c.told)
		}
	}
}
