package trial

import (
	"strings"

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
