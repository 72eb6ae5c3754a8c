package notifications

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/secret"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/notify"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
)

// channelFlags are those of `notifications add`, as typed.
type channelFlags struct {
	name    string
	email   notify.Email
	service bool
}

func addCommand(s *session.Session) *cobra.Command {
	var f channelFlags
	cmd := &cobra.Command{
		Use: "add", Short: "Add a channel: a mailbox, or a service",
		Long: "Add a channel. With --email mail goes to that mailbox, by the mail server of --server; with --user its password is read from the terminal and not\n" +
			"shown, or from standard input. With --service the service's URL is read so:\n\n" +
			"  ntfy://HOST/TOPIC, gotify://HOST/TOKEN, telegram://TOKEN@telegram?chats=ID, matrix://:TOKEN@HOST/?room=ROOM, slack://A/B/C,\n" +
			"  discord://TOKEN@ID, or https://… for a webhook that takes JSON (title, message)\n\n" +
			"It is stored encrypted. A browser is added on its page. An address in your own network has to be allowed by network.allow_private.",
		Example: "  pdpp-host notifications add --email ana@example.org --from pdpp@example.org --server smtp.example.org:587 --user ana\n" +
			"  pdpp-host notifications add --service --name phone < url.txt",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 { // it may be the secret
				return credentials.SecretArgument()
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return add(cmd.Context(), s, f) },
	}
	p := cmd.Flags()
	p.StringVar(&f.name, "name", "", "what you call it")
	p.BoolVar(&f.service, "service", false, "a service, whose URL is read")
	p.StringVar(&f.email.To, "email", "", "the `MAILBOX` that is written to")
	p.StringVar(&f.email.From, "from", "", "the `MAILBOX` that it comes from (default: the same)")
	p.StringVar(&f.email.Server, "server", "", "the mail server, `HOST:PORT`: 465 is TLS from the beginning, any other STARTTLS")
	p.StringVar(&f.email.User, "user", "", "sign in to the mail server as `NAME`")
	p.BoolVar(&f.email.Plain, "plain", false, "let mail go unencrypted to a server that network.allow_private names")
	return cmd
}

func add(ctx context.Context, s *session.Session, f channelFlags) error {
	if f.service == (f.email.To != "") {
		return syntax.Usage("a channel is either --email or --service", "name one of them")
	}
	return s.Change(func(o *owner.Owner) error {
		n := notifications.NewChannel{Name: f.name}
		reader := secret.Reader{In: s.In, Err: s.Err, Stop: s.Stop}
		switch {
		case f.service:
			url, err := reader.Read(ctx, "URL of the service")
			if err != nil {
				return err
			}
			n.Address.Service = string(url)
			clear(url)
		default:
			if f.email.From == "" {
				f.email.From = f.email.To
			}
			if f.email.User != "" {
				password, err := reader.Read(ctx, "password of "+output.Clean(f.email.User)+" at "+output.Clean(f.email.Server))
				if err != nil {
					return err
				}
				f.email.Password = string(password)
				clear(password)
			}
			n.Address.Email = &f.email
		}
		c, err := notifications.Add(ctx, o, n)
		if err != nil {
			return err
		}
		return s.Printer.Result("added "+output.Clean(c.Name)+"; try it: "+s.Advice("pdpp-host notifications test "+c.ID), c, nil)
	})
}
