package modules

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Sandbox is what stands between a connector and the rest of the system.
type Sandbox struct {
	Brief   string // a few words, for the line that a run begins with
	Message string // each wall with its version, and why one is missing
	Hint    string // "" when every wall stands
}

// SandboxOf describes the walls of an isolation mode on a system that has walls.
func SandboxOf(isolation string, walls []plugin.Wall) Sandbox {
	if isolation == config.IsolationInline {
		return Sandbox{
			Brief: "inline", Message: "connectors run in the host's own process (isolation: inline)",
			Hint: "run connectors that you did not write with isolation: process",
		}
	}
	s := Sandbox{Brief: "worker", Message: "WebAssembly, a worker process"}
	var held, lacking []string
	var missing strings.Builder
	for _, w := range walls {
		if w.Holds {
			held = append(held, w.Name)
			s.Message += strings.TrimRight(", "+w.Name+" "+w.Detail, " ")
		} else {
			lacking = append(lacking, w.Name)
			missing.WriteString("; no " + w.Name + ": " + w.Detail)
		}
	}
	if len(held) > 0 {
		s.Brief += " with " + strings.Join(held, " and ")
	}
	if len(lacking) > 0 {
		s.Brief += ", no " + strings.Join(lacking, ", no ")
		s.Hint = "what the missing walls would stop, a connector that breaks out of WebAssembly could do here: run only connectors that you trust"
	}
	s.Message += missing.String()
	return s
}
