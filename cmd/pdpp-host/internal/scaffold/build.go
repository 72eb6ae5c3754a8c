package scaffold

import "strings"

// Environment makes go build a module; TinyGo has a target for it.
var Environment = []string{"GOOS=wasip1", "GOARCH=wasm"}

// Build is the command that builds the module of the folder that it runs in, as the file out.
// A connector's Makefile has it, and `plugins dev` runs it.
func Build(out string, tinyGo bool) []string {
	if tinyGo {
		return []string{"tinygo", "build", "-target=wasip1", "-buildmode=c-shared", "-scheduler=none", "-gc=conservative", "-opt=2", "-no-debug", "-o", out, "."}
	}
	return []string{"go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", out, "."}
}

// recipe is Build as a line of a Makefile.
func recipe(tinyGo bool) string {
	var words []string
	if !tinyGo {
		words = append(words, Environment...)
	}
	for _, word := range Build("$@", tinyGo) {
		if strings.Contains(word, " ") {
			word = "'" + word + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
