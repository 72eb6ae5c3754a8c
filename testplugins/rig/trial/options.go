package trial

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// Change changes the options of one run.
type Change = func(*sdktest.Options)

// FullRefresh and Incremental are a run's mode.
func FullRefresh(o *sdktest.Options) { o.Mode = abi.ModeFullRefresh }

// Incremental is the default mode of a run.
func Incremental(o *sdktest.Options) { o.Mode = abi.ModeIncremental }

// Only narrows a run to some streams.
func Only(streams ...string) Change { return func(o *sdktest.Options) { o.Streams = streams } }

// Served has a run served the gaps that are pending after another one.
func Served(res *sdktest.Result) Change {
	return func(o *sdktest.Options) { o.DetailGaps = res.PendingGaps() }
}
