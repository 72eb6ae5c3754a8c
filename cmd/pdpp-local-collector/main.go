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
	// The worker takes the shortest way, without commands, configuration or store.
	if len(os.Args) == 2 && os.Args[1] == plugin.WorkerArgument {
		// Ctrl-C reaches the whole foreground group; the parent decides when the
		// guest stops.
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		os.Exit(plugin.WorkerMain(os.Stdin, os.Stdout))
	}
	debug.SetGCPercent(50) // small, steady batches: see cmd/pdpp-host
	os.Exit(newApp().main(os.Args[1:]))
}
