package config

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner/settings"
)

// Command holds the commands of the configuration. Alone it shows it.
func Command(s *session.Session) *cobra.Command {
	run := func(*cobra.Command) error { return show(s) }
	cmd := s.Group("config", "Show the configuration", run)
	cmd.AddCommand(&cobra.Command{
		Use: "show", Short: "Show every value and where it came from", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd) },
	})
	return cmd
}

func show(s *session.Session) error {
	c, err := s.Config()
	if err != nil {
		return broken(s, err)
	}
	v := settings.Read(c)
	return s.Printer.Result(summary(v), v, func(w io.Writer) { write(w, s, v) })
}

func summary(v *settings.Settings) string { return fmt.Sprintf("%d values", len(v.Values)) }

func write(w io.Writer, s *session.Session, v *settings.Settings) {
	rows := make([][]string, len(v.Values))
	for i, x := range v.Values {
		rows[i] = []string{x.Key, x.Value, x.Origin.String()}
	}
	output.Table(w, s.Printer.Style, []string{"key", "value", "from"}, rows)
}

// broken lists the keys and their defaults above what is wrong with the configuration:
// whoever mends it was sent here to compare.
func broken(s *session.Session, why error) error {
	var e *abi.Error
	v, err := settings.Defaults(s.Home)
	if err != nil || !errors.As(why, &e) {
		return why
	}
	hint := strings.NewReplacer("`pdpp-host config show` lists every key", "every key is listed above",
		"compare it with `pdpp-host config show`", "compare it with what is listed above").Replace(e.Hint)
	told := e.WithHint(hint).Wrap(e)
	if err := s.Printer.Failed(summary(v), v, s.Advised(told), func(w io.Writer) { write(w, s, v) }); err != nil {
		return err
	}
	return told
}
