package documented

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	got := commands("# P\n\nSee `tool list --all`, `other list` and `tool`.\n\n```sh\nbin/tool add NAME # adds it\necho tool\n```\n", "tool")
	if want := []string{"add NAME", "list --all"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBareCommands(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "tool"}
	root.AddCommand(&cobra.Command{Use: "list"})
	got := bareCommands("See `list --all`, `list`, `lost --all` and `tool list`.", root)
	if want := []string{"list --all"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCheckFindsWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "tool"}
	items := &cobra.Command{Use: "items", Aliases: []string{"item"}}
	list := &cobra.Command{Use: "list"}
	list.Flags().Bool("all", false, "")
	items.AddCommand(list)
	root.AddCommand(items)
	for line, want := range map[string]string{
		"items list --all NAME":  "",
		"item list --json":       "",
		"items":                  "",
		"items NAME":             "",
		"items lost":             "tool items has no command lost",
		"items list --every=day": "tool items list has no flag --every",
		"thing list":             "tool has no command thing",
	} {
		if got := check(root, line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
