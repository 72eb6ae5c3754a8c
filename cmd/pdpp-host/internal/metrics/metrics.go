package metrics

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/api/metrics"
)

// Command is the command `metrics`.
func Command(s *session.Session) *cobra.Command {
	cmd := s.Group("metrics", "What a server tells in figures", nil)
	cmd.AddCommand(names(s))
	return cmd
}

func names(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "names", Short: "List the figures that `serve` tells at /metrics", Args: syntax.Takes(),
		RunE: func(*cobra.Command, []string) error {
			all := metrics.Names()
			result := struct {
				Metrics []metrics.Family `json:"metrics"`
			}{all}
			return s.Printer.Result(fmt.Sprintf("%d figures", len(all)), result, func(w io.Writer) {
				rows := make([][]string, len(all))
				for i, f := range all {
					labels := "-"
					if len(f.Labels) > 0 {
						labels = strings.Join(f.Labels, ", ")
					}
					rows[i] = []string{f.Name, string(f.Kind), labels, f.Help}
				}
				output.Table(w, s.Printer.Style, []string{"name", "type", "labels", "what"}, rows)
			})
		},
	}
}
