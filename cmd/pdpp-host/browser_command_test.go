package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/spf13/cobra"
)

// No command is about a browser, hidden or not, and no page sends anyone to one (RT-03.1, RT-03.2,
// BR-03).
func TestNoBrowserCommand(t *testing.T) {
	t.Parallel()
	seen := 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		seen++
		for _, name := range append(c.Aliases, c.Name()) {
			if aboutBrowsers.MatchString(name) {
				t.Errorf("there is a command %q, want none about a browser", c.CommandPath())
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newApp().root())
	if seen < 30 {
		t.Errorf("got %d commands, want all of them", seen)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("got %d pages, %v, want all of them", len(pages), err)
	}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if found := sendsToBrowsers.Find(text); found != nil {
			t.Errorf("%s sends its reader to %q, want no such command", page, found)
		}
	}
}

var (
	aboutBrowsers   = regexp.MustCompile(`(?i)browser|chrom|cdp`)
	sendsToBrowsers = regexp.MustCompile(`pdpp-host browser|browser (start|stop|status|restart|logs|bootstrap|probe)\b|browser-daemon`)
)
