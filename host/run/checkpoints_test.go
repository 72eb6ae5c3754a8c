package run

import (
	"strings"
	"testing"
)

// Listing all committed streams for the result does not change the list that the
// outcome commits: a cursor missing from that list would be lost, and a surplus one is
// not staged.
func TestCommittedInAllLeavesTheEndAsItIs(t *testing.T) {
	t.Parallel()
	end := append(make([]string, 0, 4), "chats", "notes", "orders")
	all := committedInAll(end, map[string]bool{"accounts": true, "notes": true})
	if got := strings.Join(all, " "); got != "accounts chats notes orders" {
		t.Errorf("got %q in all, want accounts chats notes orders", got)
	}
	if got := strings.Join(end, " "); got != "chats notes orders" {
		t.Errorf("got %q at the end, want chats notes orders", got)
	}
}
