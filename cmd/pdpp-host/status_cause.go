package main

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/config"
)

// causeLine names what keeps a connection from being collected: its code, where, and
// the run that met it; "" where nothing is known.
func causeLine(c *config.Config, b *view.Brief) string {
	if b.Cause == nil {
		return ""
	}
	text, place := string(b.Cause.Code), b.Cause.Place
	if b.Cause.Code == abi.CauseDiskFull {
		place = c.DataDir()
		if free, known := freeBytes(place); known {
			place += ", which has " + output.Bytes(int64(min(free, 1<<62))) + " left now"
		}
	}
	if place != "" {
		text += " (" + place + ")"
	}
	return output.Clean(text) + "; its run: " + program + " runs show " + quoted(b.Cause.RunID)
}
