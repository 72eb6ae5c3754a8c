package version

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
)

// Command is the command `version`.
func Command(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: syntax.Takes(),
		RunE: func(*cobra.Command, []string) error {
			result := struct {
				Version string `json:"version"`
				ABI     int    `json:"abi"`
				Go      string `json:"go"`
				OS      string `json:"os"`
				Arch    string `json:"arch"`
			}{s.Version, abi.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH}
			line := fmt.Sprintf("pdpp-host %s  ABI %d  %s %s/%s", s.Version, abi.Version, result.Go, result.OS, result.Arch)
			return s.Printer.Result(line, result, func(w io.Writer) { fmt.Fprintln(w, line) })
		},
	}
}
