package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/documented"
)

// Every command that README.md and docs show exists, with its flags.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	documented.Check(t, newApp().root(), "README.md", "api.md", "collecting.md", "commands.md", "connectors.md", "console.md", "rationale.md", "services.md", "status.md", "tutorial.md")
}
