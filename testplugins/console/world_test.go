package console

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/generate/corpus"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
)

const token = "console-token-4c1f"

// withGitHub returns an owner of the connection github, which reads a provider. It has not run.
func withGitHub(t *testing.T, provider http.Handler) *bed.Owner {
	t.Helper()
	owner := bed.New(t, "github")
	url := owner.Provider(provider)
	owner.Says(0, "connections", "add", "github", "github", "--accept", "--set", "base_url="+url)
	owner.Tells(token+"\n", 0, "connections", "credential", "set", "github", "token")
	return owner
}

// someGitHub is an account of a size, as the provider has it.
func someGitHub(size int) sample.Options {
	return sample.Options{Seed: 1, Size: size, Now: time.Now, Token: token}
}

// transcripts writes a folder as Claude Code does and returns its path.
func transcripts(t *testing.T, owner *bed.Owner) string {
	t.Helper()
	dir := filepath.Join(owner.Home, "claude")
	if _, err := corpus.Write(corpus.Options{Kind: "claude_code", Bytes: 60_000, Dir: dir, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// collected returns an owner of two connections with a run behind each, of a service and of a
// folder.
func collected(t *testing.T) *bed.Owner {
	t.Helper()
	owner := withGitHub(t, sample.Github(someGitHub(12)))
	owner.Install("claude_code", bed.Module(t, "claude_code"))
	owner.Says(0, "run", "github", "--no-input")
	owner.Says(0, "run", "claude_code", "--no-input", "--accept", "--root", "claude_code="+transcripts(t, owner))
	return owner
}
