package trial

import (
	"math/rand/v2"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// Live lists the records of a run, without its tombstones.
func Live(res *sdktest.Result) []string {
	var list []string
	for _, r := range res.All {
		if !r.Delete {
			list = append(list, r.Stream+" "+r.Key+" "+string(r.Data))
		}
	}
	return list
}

// Skips lists the streams that a run reported as incomplete, and why.
func Skips(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		list = append(list, s.Stream+" "+s.Reason)
	}
	return strings.Join(list, ",")
}

// Reasons is Skips for a connector whose problems concern its folder and not a stream.
func Reasons(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		list = append(list, s.Reason)
	}
	return strings.Join(list, ",")
}

// Unaccounted lists the reasons with which a run tells its owner to do something, and with which no file is accounted
// for (AC-02): the owner's word on a file settles none of them.
func Unaccounted(res *sdktest.Result) string {
	of := make(map[string]bool)
	for _, a := range res.Accounts {
		for _, f := range a.Files {
			of[f.Reason] = of[f.Reason] || f.As == abi.FileKnown || f.As == abi.FileDamaged
		}
	}
	var list []string
	for _, s := range res.Skips {
		if string(s.RecoveryHint) == `"manual_action_required"` && !of[s.Reason] {
			list = append(list, s.Reason)
		}
	}
	return strings.Join(list, ",")
}

// Noise is a text of so many letters that packs badly, since an archive that packs too well is refused.
func Noise(size int) string {
	draw := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret
	text := make([]byte, size)
	for i := range text {
		text[i] = 'a' + byte(draw.IntN(26))
	}
	return string(text)
}
