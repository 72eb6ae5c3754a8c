package runs

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
)

// defaultLimit is how many runs are listed when nobody says.
const defaultLimit = 20

// Command holds the commands of runs. Alone it lists the newest.
func Command(s *session.Session) *cobra.Command {
	cmd := s.Group("runs", "Show past runs", func(cmd *cobra.Command) error { return list(cmd.Context(), s, "", defaultLimit) })
	cmd.AddCommand(listCommand(s), showCommand(s), capturesCommand(s))
	return cmd
}
