package house_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const contractsFolder = "docs/contracts/"

var (
	// citation is any mention of a contract's section; cited is its one form.
	citation = regexp.MustCompile(`(?i)(?:\w+ )?contracts?[,:]? (?:\w+,? )?sections? \d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*`)
	cited    = regexp.MustCompile(`^(\w+) contract, sections? ([\d., and]+)$`)
	number   = regexp.MustCompile(`\d+(?:\.\d+)*`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	// commentEnd is a line break within a comment, before the next line's text.
	commentEnd = regexp.MustCompile(`\n\s*(?://|#) ?`)
)

// miscited says what is wrong with a citation; "" when its section exists. pages
// maps a contract's name to its page.
func miscited(text string, pages map[string]string) string {
	m := cited.FindStringSubmatch(text)
	if m == nil {
		return "a citation reads: NAME contract, section 1.2"
	}
	page, ok := pages[m[1]]
	if !ok {
		return "there is no " + contractsFolder + m[1] + ".md"
	}
	for _, n := range number.FindAllString(m[2], -1) {
		if !slices.ContainsFunc(heading.FindAllStringSubmatch(page, -1), func(h []string) bool {
			first, _, _ := strings.Cut(h[1], " ")
			return strings.TrimSuffix(first, ".") == n
		}) {
			return contractsFolder + m[1] + ".md has no section " + n
		}
	}
	return ""
}

// A reader of a comment can open every contract that the comment cites.
func TestCitedContractsExist(t *testing.T) {
	t.Parallel()
	pages := make(map[string]string)
	for _, file := range projectFiles(t) {
		if name, ok := strings.CutPrefix(file, contractsFolder); ok {
			pages[strings.TrimSuffix(name, ".md")] = read(t, file)
		}
	}
	found := 0
	for _, file := range projectFiles(t) {
		if !slices.Contains([]string{".go", ".md", ".sh", ".txtar"}, path.Ext(file)) || file == "testplugins/house/docs_test.go" {
			continue
		}
		for _, text := range citation.FindAllString(commentEnd.ReplaceAllString(read(t, file), " "), -1) {
			found++
			if wrong := miscited(text, pages); wrong != "" {
				t.Errorf("%s cites %q: %s", file, text, wrong)
			}
		}
	}
	if found == 0 {
		t.Error("no citation was found, want some: the search is broken")
	}
}

func TestMiscited(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"runtime": "# R\n\n## 4. State\n\n### 4.1 Cursors\n\n## 9. Outcome\n"}
	for text, want := range map[string]string{
		"runtime contract, section 9":           "",
		"runtime contract, section 4.1":         "",
		"runtime contract, sections 4 and 9":    "",
		"runtime contract, sections 4, 4.1, 7":  "docs/contracts/runtime.md has no section 7",
		"runtime contract, section 4.2":         "docs/contracts/runtime.md has no section 4.2",
		"tenancy contract, section 1":           "there is no docs/contracts/tenancy.md",
		"contracts: section 9":                  "a citation reads: NAME contract, section 1.2",
		"the contracts: collector, section 5.2": "a citation reads: NAME contract, section 1.2",
	} {
		if found := citation.FindString("x (" + text + ")."); found != text {
			t.Errorf("got the citation %q, want %q", found, text)
		}
		if got := miscited(text, pages); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fence        = regexp.MustCompile("(?ms)^```.*?^```$")
	code         = regexp.MustCompile("`[^`\n]*`")
	notInAnchor  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the fragments that a page's headings can be reached by, as
// GitHub makes them.
func anchors(page string) []string {
	var out []string
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		out = append(out, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
	}
	return out
}

// Every link from one page to another leads to a file, and to a heading where it
// names one.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	files := projectFiles(t)
	for _, file := range files {
		if path.Ext(file) != ".md" || strings.Contains(file, "/testdata/") {
			continue
		}
		text := code.ReplaceAllString(fence.ReplaceAllString(read(t, file), ""), "")
		for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			name, anchor, _ := strings.Cut(m[1], "#")
			target := file
			if name != "" {
				target = path.Join(path.Dir(file), name)
			}
			isFolder := slices.ContainsFunc(files, func(f string) bool { return within(f, target) })
			switch {
			case !isFolder:
				t.Errorf("%s links to %s, and %s does not exist", file, m[1], target)
			case anchor != "" && !slices.Contains(anchors(read(t, target)), anchor):
				t.Errorf("%s links to %s, and %s has no such heading", file, m[1], target)
			}
		}
	}
}

// The pages of choices list each of their headings at the top.
func TestChoicesAreListed(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"docs/rationale.md", "docs/health.md"} {
		text := read(t, page)
		for _, h := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(text, -1) {
			if entry := "[" + h[1] + "](#" + anchors(h[0])[0] + ")"; !strings.Contains(text, entry) {
				t.Errorf("%s: want %s in the list at the top", page, entry)
			}
		}
	}
}

// maxReadme is the most lines that README.md may have: more belongs in docs.
const maxReadme = 150

func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	if n := strings.Count(read(t, "README.md"), "\n"); n > maxReadme {
		t.Errorf("README.md has %d lines, at most %d are allowed", n, maxReadme)
	}
}

// placeOf returns the place in the tree that a code span names; "" when it names
// none, or stands for several (plugins/NAME.wasm).
func placeOf(span string) string {
	span = strings.Trim(span, "`")
	first, rest, _ := strings.Cut(span, "/")
	if rest == "" || !slices.Contains(topLevel, first) || strings.ContainsAny(span, " *") || strings.Contains(rest, "NAME") || strings.Contains(rest, "NNNN") {
		return ""
	}
	return span
}

// roomRow is a row of the table of rooms: the room, what lives there, what it may
// import.
var roomRow = regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| .* \\| ([^|]+) \\|$")

// drawn is what a row may say of a room's imports: the rooms in order, a part of abi
// as abi.
func drawn(imports []string) string {
	if len(imports) == 0 {
		return "nothing"
	}
	if slices.Contains(imports, everything) {
		return everything
	}
	var out []string
	for _, room := range imports {
		if within(room, "abi") {
			room = "abi"
		}
		out = append(out, "`"+room+"`")
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

// The table of rooms in docs/architecture.md says what rooms says.
func TestArchitectureDrawsTheRooms(t *testing.T) {
	t.Parallel()
	rows := make(map[string]string)
	for _, m := range roomRow.FindAllStringSubmatch(read(t, "docs/architecture.md"), -1) {
		rows[m[1]] = strings.ReplaceAll(m[2], "everything", everything)
	}
	files := goFiles(t)
	for room, imports := range rooms {
		built := slices.ContainsFunc(files, func(f string) bool { return within(f, room) })
		part := within(room, "abi/manifest") || within(room, "abi/device") || within(room, "abi/declaration") || within(room, "sdk/sdktest")
		got, want := rows[room], drawn(imports)
		if !built || part {
			want = ""
		}
		if got != want {
			t.Errorf("the row of %s in docs/architecture.md: got the imports %q, want %q", room, got, want)
		}
		delete(rows, room)
	}
	for room := range rows {
		t.Errorf("docs/architecture.md has a row for %s, which is no room", room)
	}
}

// The pages that say where things are name files and folders that exist.
func TestPlacesExist(t *testing.T) {
	t.Parallel()
	files, found := projectFiles(t), 0
	for _, page := range []string{"CONTRIBUTING.md", "docs/architecture.md"} {
		for _, span := range code.FindAllString(fence.ReplaceAllString(read(t, page), ""), -1) {
			place := placeOf(span)
			if place == "" {
				continue
			}
			found++
			if !slices.ContainsFunc(files, func(f string) bool { return within(f, place) }) {
				t.Errorf("%s names %s, and it does not exist", page, place)
			}
		}
	}
	if found < 20 {
		t.Errorf("got %d places, want at least 20: the search is broken", found)
	}
}

func TestPlaceOf(t *testing.T) {
	t.Parallel()
	for span, want := range map[string]string{
		"`host/run/outcome.go`":                    "host/run/outcome.go",
		"`storage/migrations`":                     "storage/migrations",
		"`host`":                                   "",
		"`plugins/NAME.wasm`":                      "",
		"`go test ./host/run`":                     "",
		"`bin/pdpp-host`":                          "",
		"`storage/migrations/NNNN_what_it_is.sql`": "",
	} {
		if got := placeOf(span); got != want {
			t.Errorf("%s: got %q, want %q", span, got, want)
		}
	}
}

func TestAnchors(t *testing.T) {
	t.Parallel()
	got := anchors("# Why is `a/b` a process?\n\ntext\n\n```sh\n# not a heading\n```\n\n## 4.1 What (if)\n")
	if want := []string{"why-is-ab-a-process", "41-what-if"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

var goFileName = regexp.MustCompile(`[\w./-]*\w\.go\b`)

// goneFiles returns the Go files that a doc.go names and that are not there: a bare
// name means the doc.go's folder, a path that folder or the project.
func goneFiles(file, doc string, files []string) (gone []string) {
	for _, name := range goFileName.FindAllString(doc, -1) {
		if !slices.Contains(files, path.Join(folderOf(file), name)) && !slices.Contains(files, name) {
			gone = append(gone, name)
		}
	}
	return gone
}

// A doc.go is a map of its folder, and a map shows no files that are gone.
func TestDocNamesFilesThatExist(t *testing.T) {
	t.Parallel()
	files := goFiles(t)
	for _, file := range files {
		if path.Base(file) != "doc.go" {
			continue
		}
		_, f := parse(t, file)
		for _, name := range goneFiles(file, f.Doc.Text(), files) {
			t.Errorf("%s: got the file name %s, want one that exists in %s", file, name, folderOf(file))
		}
	}
}

func TestGoneFiles(t *testing.T) {
	t.Parallel()
	files := []string{"storage/doc.go", "storage/tx.go", "storage/record/batch.go", "abi/calls.go"}
	got := goneFiles("storage/doc.go", "tx.go and record/batch.go; abi/calls.go. Not batch.go, calls.go or tx_test.go, and no .go.", files)
	if want := []string{"batch.go", "calls.go", "tx_test.go"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
