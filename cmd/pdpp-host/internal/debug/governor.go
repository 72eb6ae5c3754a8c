package debug

import (
	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/send/replay"
)

// debugGovernorCommand replays a sequence on a virtual clock. It sends nothing,
// and so it needs no configuration and no store.
func governorCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "governor", Short: "Replay requests through the send governor, without sending any", Args: syntax.Takes(),
		Long: `Reads one JSON object a line from standard input and prints what the send
governor does, one JSON object a line. Time is virtual: nothing is sent, and
nothing waits.

  {"op":"governor","name":"github"}        a new governor; also "profile", "run_budget",
                                           "retry_budget", "random" (0 to 1), "cursor"
  {"op":"request","answers":[{"status":429,"headers":{"Retry-After":"5"}},{"status":200}]}
                                           one request; also "path", "method", "count", and
                                           "latency_ms" or "error" of an answer
  {"op":"advance","ms":60000}              time passes
  {"op":"snapshot"}                        where the pace stands
  {"op":"persist","stream":"issues","declared":["issues"],"cursor":{}}
                                           the learned rate on a stream's cursor

Times are milliseconds since the start. A line that cannot be done is answered
with an "error", and the next one is read.`,
		Example: `  pdpp-host debug governor < sequence.jsonl`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.Printer.Raw()
			return replay.Run(cmd.Context(), s.In, s.Out)
		},
	}
}
