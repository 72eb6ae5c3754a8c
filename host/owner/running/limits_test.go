package running

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// RT-16.1, RT-19.2: only a number above zero is a cap, and without a cap there
// is nothing at all; a chunk is derived from a cap where none is named.
func TestDetailLimits(t *testing.T) {
	t.Parallel()
	const f, w, c = "PDPP_MY_APP_MAX_DETAIL_FETCHES_PER_RUN", "PDPP_MY_APP_MAX_RUN_WALL_CLOCK_MS", "PDPP_MY_APP_MAX_TAIL_DEFERRAL_GAPS_PER_RUN"
	for _, tc := range []struct {
		env  map[string]string
		want *abi.DetailLimits
	}{
		{nil, nil},
		{map[string]string{f: "", w: " "}, nil},
		{map[string]string{f: "many", w: "soon", c: "3"}, nil},
		{map[string]string{f: "0", w: "-5"}, nil},
		{map[string]string{f: "2.5", w: "0.5"}, nil},
		{map[string]string{c: "10"}, nil},
		{map[string]string{f: " 7 "}, &abi.DetailLimits{MaxFetches: 7, MaxTailGaps: 50}},
		{map[string]string{f: "900"}, &abi.DetailLimits{MaxFetches: 900, MaxTailGaps: 900}},
		{map[string]string{w: "1500.9"}, &abi.DetailLimits{MaxWallMS: 1500, MaxTailGaps: 50}},
		{map[string]string{w: "NaN"}, nil},
		{map[string]string{f: "7", c: "3"}, &abi.DetailLimits{MaxFetches: 7, MaxTailGaps: 3}},
		{map[string]string{f: "7", c: "none"}, &abi.DetailLimits{MaxFetches: 7, NoTailFolding: true}},
	} {
		got := detailLimits("my-app", func(name string) string { return tc.env[name] })
		if (got == nil) != (tc.want == nil) || got != nil && *got != *tc.want {
			t.Errorf("%v: %+v, want %+v", tc.env, got, tc.want)
		}
	}
}

func TestAskingTime(t *testing.T) {
	t.Parallel()
	for limit, want := range map[time.Duration]time.Duration{0: 0, 10 * time.Minute: 9 * time.Minute, 4 * time.Hour: 4*time.Hour - 5*time.Minute} {
		if got := AskingTime(limit); got != want {
			t.Errorf("%s: %s", limit, got)
		}
	}
}
