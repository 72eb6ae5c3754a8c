package house_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const maxLines = 600

// generated is Go's own mark of a file that nobody writes by hand.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func TestNoFileIsTooLong(t *testing.T) {
	t.Parallel()
	for _, file := range goFiles(t) {
		text := read(t, file)
		if n := strings.Count(text, "\n"); n > maxLines && !generated.MatchString(text) {
			t.Errorf("%s has %d lines, at most %d are allowed", file, n, maxLines)
		}
	}
}

// maxFiles is how many Go source files a folder may have, tests not counted. More are a
// sign that two rooms share it: files with a common prefix want a folder of that name.
const maxFiles = 25

func TestNoFolderIsCrowded(t *testing.T) {
	t.Parallel()
	count := make(map[string]int)
	for _, file := range goFiles(t) {
		if !isTest(file) {
			count[folderOf(file)]++
		}
	}
	for folder, n := range count {
		if n > maxFiles {
			t.Errorf("%s: got %d source files, want at most %d", folder, n, maxFiles)
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	t.Parallel()
	folders := make(map[string]bool)
	for _, file := range goFiles(t) {
		folders[folderOf(file)] = true
	}
	files := goFiles(t)
	for folder := range folders {
		doc := folder + "/doc.go"
		if !slices.Contains(files, doc) {
			t.Errorf("%s has no doc.go", folder)
			continue
		}
		if _, f := parse(t, doc); len(strings.Fields(f.Doc.Text())) < 8 {
			t.Errorf("%s does not say what the package is", doc)
		}
	}
}

func TestNoVagueNames(t *testing.T) {
	t.Parallel()
	vague := []string{"util", "utils", "common", "helper", "helpers", "manager", "misc", "shared"}
	for _, file := range goFiles(t) {
		for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSuffix(file, ".go"), "_test"), "/") {
			if slices.Contains(vague, part) {
				t.Errorf("%s: %q says nothing", file, part)
			}
		}
	}
}

// machineWords are what only the machine that a file was written on knows: its
// paths and where it gets packages from. They are put together here so that
// this file does not hold them.
var machineWords = regexp.MustCompile(
	`(^|[^A-Za-z0-9_.~/-])/(wo` + `rk|ro` + `ot|tmp/te` + `am)/` +
		`|(pro` + `xy|su` + `m)\.golang\.org|registry\.npm` + `js\.org|deb\.deb` + `ian\.org|pypi\.o` + `rg`)

func TestNoFileKnowsTheMachine(t *testing.T) {
	t.Parallel()
	for _, file := range projectFiles(t) {
		text := read(t, file)
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if word := machineWords.FindString(line); word != "" {
				t.Errorf("%s:%d: %q", file, i+1, word)
			}
		}
	}
}

func TestMachineWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"open " + filepath.Join("/wo"+"rk", "x"):     true,
		`"/ro` + `ot/go/bin"`:                        true,
		"https://pro" + "xy.golang.org/x":            true,
		"/home/ana/wo" + "rk/x":                      false,
		"~/wo" + "rk/x":                              false,
		"the wo" + "rk/life balance":                 false,
		`GET /ro` + `ots`:                            false,
		"registry.npm" + "js.org/@extism/as-pdk.tgz": true,
	} {
		if got := machineWords.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
