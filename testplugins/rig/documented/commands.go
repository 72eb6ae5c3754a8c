package documented

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

var (
	block = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	span  = regexp.MustCompile("`([^`\n]+)`")
	// placeholder finds a letter of a word that an owner replaces, such as NAME or RUN.
	placeholder = regexp.MustCompile(`[^a-z-]`)
)

// everywhere are the flags that every command has besides its own.
var everywhere = []string{"config", "data-dir", "help", "json", "log-format", "log-level", "plugins", "quiet"}

// Check fails the test for each command of the program that a page shows and that
// does not exist, and for each flag that such a command does not have. In the pages
// of bare the text leaves the program's name out, as in `run NAME`.
func Check(t *testing.T, root *cobra.Command, bare ...string) {
	t.Helper()
	checkout, err := story.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(checkout, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range append(pages, filepath.Join(checkout, "README.md")) {
		text, err := os.ReadFile(page) //nolint:gosec // a page of this tree
		if err != nil {
			t.Fatal(err)
		}
		lines := commands(string(text), root.Name())
		if slices.Contains(bare, filepath.Base(page)) {
			lines = append(lines, bareCommands(string(text), root)...)
		}
		for _, line := range lines {
			found++
			if wrong := check(root, line); wrong != "" {
				t.Errorf("%s shows %q: %s", filepath.Base(page), line, wrong)
			}
		}
	}
	if found == 0 {
		t.Errorf("got no command of %s in any page, want some: the search is broken", root.Name())
	}
}

// commands returns the command lines of a program that a page shows, in its blocks
// and in its text, without the program's name.
func commands(page, program string) []string {
	var lines, out []string
	for _, m := range block.FindAllStringSubmatch(page, -1) {
		lines = append(lines, strings.Split(m[1], "\n")...)
	}
	for _, m := range span.FindAllStringSubmatch(block.ReplaceAllString(page, ""), -1) {
		lines = append(lines, m[1])
	}
	for _, line := range lines {
		line, _, _ = strings.Cut(line, " #")
		if rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "bin/"), program+" "); ok {
			out = append(out, strings.TrimSpace(rest))
		}
	}
	return out
}

// bareCommands returns the command lines in a page's text that begin with the name of
// one of root's commands.
func bareCommands(page string, root *cobra.Command) (out []string) {
	for _, m := range span.FindAllStringSubmatch(block.ReplaceAllString(page, ""), -1) {
		first, rest, _ := strings.Cut(m[1], " ")
		if rest != "" && slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == first }) {
			out = append(out, m[1])
		}
	}
	return out
}

// check says what is wrong with a command line; "" when its command exists and has
// its flags. "list / get" shows two commands, of which the first is looked at.
func check(root *cobra.Command, line string) string {
	at, args := root, false
	for word := range strings.FieldsSeq(line) {
		flag, isFlag := strings.CutPrefix(word, "--")
		flag, _, _ = strings.Cut(flag, "=")
		switch {
		case isFlag:
			args = true
			if at.Flags().Lookup(flag) == nil && at.InheritedFlags().Lookup(flag) == nil && !slices.Contains(everywhere, flag) {
				return at.CommandPath() + " has no flag --" + flag
			}
		case args || !at.HasSubCommands():
			args = true
		default:
			i := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == word || c.HasAlias(word) })
			if i < 0 {
				if args = placeholder.MatchString(word); !args {
					return at.CommandPath() + " has no command " + word
				}
				continue
			}
			at = at.Commands()[i]
		}
	}
	return ""
}
