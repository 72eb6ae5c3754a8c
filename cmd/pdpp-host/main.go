package main

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// version is set by the linker, -X main.version=….
var version = "dev"

func main() {
	// The worker is started for every run: it takes the shortest way, without
	// commands, configuration or store.
	if len(os.Args) == 2 && os.Args[1] == plugin.WorkerArgument {
		// Ctrl-C reaches the whole foreground group; the parent decides when the
		// guest stops.
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		os.Exit(plugin.WorkerMain(os.Stdin, os.Stdout))
	}
	// A run makes garbage in steady, small batches. Collecting at half the usual
	// growth costs about 1 % of its time and keeps some 5 MB off its peak.
	debug.SetGCPercent(50)
	os.Exit(newApp().main(os.Args[1:]))
}
