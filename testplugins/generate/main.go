package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/pdpp-host/pdpp-host/testplugins/generate/corpus"
)

func main() {
	kind := flag.String("kind", "claude_code", "what to write: "+strings.Join(corpus.Kinds(), ", "))
	size := flag.String("bytes", "10MB", "about how much: a number with an optional kB, MB or GB")
	out := flag.String("out", "", "the folder, which must be empty or absent")
	seed := flag.Uint64("seed", 1, "the same seed gives the same bytes")
	flag.Parse()
	if err := run(*kind, *size, *out, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(kind, size, out string, seed uint64) error {
	n, err := corpus.ParseSize(size)
	if err != nil {
		return err
	}
	stats, err := corpus.Write(corpus.Options{Kind: kind, Bytes: n, Dir: out, Seed: seed})
	if err != nil {
		return err
	}
	fmt.Printf("%d bytes, %d files, %d lines\n", stats.Bytes, stats.Files, stats.Lines)
	return nil
}
