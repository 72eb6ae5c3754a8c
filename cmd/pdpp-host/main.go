package main

import (
	"os"
	"os/signal"
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
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		os.Exit(plugin.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(newApp().main(os.Args[1:]))
}
