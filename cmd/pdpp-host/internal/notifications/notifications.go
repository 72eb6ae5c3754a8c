package notifications

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
)

// Command holds the commands of notifications. Alone it lists channels and settings.
func Command(s *session.Session) *cobra.Command {
	list := listCommand(s)
	cmd := s.Group("notifications", "Be told when something needs you", func(cmd *cobra.Command) error { return list.RunE(cmd, nil) })
	cmd.AddCommand(list, addCommand(s), testCommand(s), removeCommand(s), settingsCommand(s))
	return cmd
}

func listCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the channels, and the settings", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.Read(func(o *owner.Owner) error {
				all, err := notifications.List(cmd.Context(), o)
				if err != nil {
					return err
				}
				return s.Printer.Result(output.Plural(int64(len(all.Channels)), "channel"), all, func(w io.Writer) { write(w, s, all) })
			})
		},
	}
}

func write(w io.Writer, s *session.Session, all *notifications.Overview) {
	if len(all.Channels) == 0 {
		fmt.Fprintln(w, s.Advice("no channels yet; see: pdpp-host notifications add --help"))
	} else {
		rows := make([][]string, len(all.Channels))
		for i := range all.Channels {
			c := &all.Channels[i]
			rows[i] = []string{c.ID, output.Clean(c.Name), strings.ReplaceAll(c.Kind, "_", " "), output.Clean(c.Target), how(c)}
		}
		output.Table(w, s.Printer.Style, []string{"channel", "name", "by", "to", "state"}, rows)
	}
	fmt.Fprintln(w, settingsText(&all.Settings))
}

// how says how a channel is.
func how(c *notifications.Channel) string {
	switch {
	case c.Failing:
		return fmt.Sprintf("failing: %s, %s", c.Code, output.Plural(c.Failures, "time"))
	case c.SentAt != nil:
		return "sent " + output.Timestamp(*c.SentAt)
	}
	return "nothing sent yet"
}

func settingsText(c *notifications.Settings) string {
	text := "no quiet hours"
	if c.QuietFrom != "" {
		zone := c.Zone
		if zone == "" {
			zone = "UTC"
		}
		text = fmt.Sprintf("quiet from %s until %s (%s)", c.QuietFrom, c.QuietUntil, zone)
	}
	if c.TellsOver {
		text += "; you are also told when you are needed no more"
	}
	return text
}

func testCommand(s *session.Session) *cobra.Command {
	return onChannel(s, "test", "Send a test by a channel", "a test was sent by ", notifications.Test)
}

func removeCommand(s *session.Session) *cobra.Command {
	return onChannel(s, "remove", "Forget a channel", "removed ", notifications.Remove)
}

// onChannel is a command that does one thing to a channel.
func onChannel(
	s *session.Session, use, short, done string, do func(context.Context, *owner.Owner, string) (*notifications.Channel, error),
) *cobra.Command {
	return &cobra.Command{
		Use: use + " CHANNEL", Short: short, Long: short + ", which is named by its id or its name.", Args: syntax.Takes("CHANNEL"), ValidArgsFunction: complete(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Change(func(o *owner.Owner) error {
				c, err := do(cmd.Context(), o, args[0])
				if err != nil {
					return err
				}
				return s.Printer.Result(done+output.Clean(c.Name), c, nil)
			})
		},
	}
}

func settingsCommand(s *session.Session) *cobra.Command {
	var quiet, zone string
	var over bool
	cmd := &cobra.Command{
		Use: "settings", Short: "Change when you are told of what, or show it", Args: syntax.Takes(),
		Example: "  pdpp-host notifications settings --quiet 22:00-07:00 --zone Europe/Berlin\n  pdpp-host notifications settings --quiet none --tell-over",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var c notifications.Change
			if cmd.Flags().Changed("quiet") {
				from, until, ok := strings.Cut(quiet, "-")
				if quiet == "none" {
					from, until, ok = "", "", true
				}
				if !ok {
					return syntax.Usage("--quiet is not HH:MM-HH:MM", "write it as --quiet 22:00-07:00, or none")
				}
				c.QuietFrom, c.QuietUntil = &from, &until
			}
			if cmd.Flags().Changed("zone") {
				c.Zone = &zone
			}
			if cmd.Flags().Changed("tell-over") {
				c.TellsOver = &over
			}
			if c == (notifications.Change{}) {
				return s.Read(func(o *owner.Owner) error {
					all, err := notifications.List(cmd.Context(), o)
					if err != nil {
						return err
					}
					return s.Printer.Result(settingsText(&all.Settings), all.Settings, nil)
				})
			}
			return s.Change(func(o *owner.Owner) error {
				now, err := notifications.ChangeSettings(cmd.Context(), o, c)
				if err != nil {
					return err
				}
				return s.Printer.Result(settingsText(now), now, nil)
			})
		},
	}
	cmd.Flags().StringVar(&quiet, "quiet", "", "tell nothing in these hours, `HH:MM-HH:MM`; none ends them")
	cmd.Flags().StringVar(&zone, "zone", "", "the time `ZONE` of these hours, as in Europe/Berlin (default UTC)")
	cmd.Flags().BoolVar(&over, "tell-over", false, "tell also when you are needed no more")
	return cmd
}

// complete completes the ids of channels.
func complete(s *session.Session) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return s.Complete(cmd.Context(), args, func(o *owner.Owner, ctx context.Context) (ids []string, err error) {
			all, err := notifications.List(ctx, o)
			if err != nil {
				return nil, err
			}
			for i := range all.Channels {
				ids = append(ids, all.Channels[i].ID)
			}
			return ids, nil
		})
	}
}
