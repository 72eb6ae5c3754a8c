package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/testplugins/generate/corpus"
)

func main() {
	kind := flag.String("kind", "claude_code", "what to write: "+strings.Join(corpus.Kinds(), ", "))
	size := flag.String("bytes", "10MB", "about how much: a number with an optional kB, MB or GB")
	out := flag.String("out", "", "the folder, which must be empty or absent")
	seed := flag.Uint64("seed", 1, "the same seed gives the same bytes")
	items := flag.String("items", "", "a file for the number of items of each stream, as flags of `plugin test`")
	flag.Parse()
	if err := run(*kind, *size, *out, *items, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(kind, size, out, items string, seed uint64) error {
	n, err := corpus.ParseSize(size)
	if err != nil {
		return err
	}
	stats, err := corpus.Write(corpus.Options{Kind: kind, Bytes: n, Dir: out, Seed: seed})
	if err != nil {
		return err
	}
	if items != "" {
		var flags strings.Builder
		for _, stream := range slices.Sorted(maps.Keys(stats.Items)) {
			fmt.Fprintf(&flags, "--items %s=%d\n", stream, stats.Items[stream])
		}
		const mode = 0o600
		if err := os.WriteFile(items, []byte(flags.String()), mode); err != nil {
			return err
		}
	}
	fmt.Printf("%d bytes, %d files, %d lines\n", stats.Bytes, stats.Files, stats.Lines)
	return nil
}
