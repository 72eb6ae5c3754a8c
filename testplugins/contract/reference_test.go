package contract

import (
	"os"
	"strings"
	"testing"
)

// The author's reference lists the clauses as they are.
func TestReferenceListsTheClauses(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../abi/ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "| clause | what it holds a module to |\n|---|---|\n")
	var want strings.Builder
	for _, c := range clauses {
		want.WriteString("| `" + c.ID + "` | " + c.Title + " |\n")
	}
	if table != want.String() {
		t.Fatalf("abi/ABI.md lists\n%s\nwant\n%s", table, want.String())
	}
}
