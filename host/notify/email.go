package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/pdpp-host/pdpp-host/abi"
)

// mailWithin bounds a conversation with a mail server.
const mailWithin = 15 * time.Second

// tlsPort is where mail is sent over TLS from the beginning.
const tlsPort = 465

func (s *Sender) mail(ctx context.Context, e *Email, n Notification) error {
	host, text, err := net.SplitHostPort(e.Server)
	if err != nil {
		return invalid("the mail server is not host:port", "write it such as smtp.example.org:587")
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return invalid("the mail server's port is no number", "write it such as smtp.example.org:587")
	}
	m := mail.NewMsg()
	if m.From(e.From) != nil || m.To(e.To) != nil {
		return invalid("it is no e-mail address", "write one such as ana@example.org")
	}
	m.Subject(n.Title)
	m.SetBodyString(mail.TypeTextPlain, n.Body+"\n")
	m.SetMessageIDWithValue(n.ID + "@pdpp-host")
	m.SetDate()
	guard, err := s.guard(host)
	if err != nil {
		return err
	}
	defer guard.Close()
	var refused error // of the wall
	var dialed net.Conn
	dialWith := func(dial func(context.Context, string, string) (net.Conn, error)) mail.Option {
		return mail.WithDialContextFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
			dialed, refused = dial(ctx, network, address)
			return dialed, refused
		})
	}
	// The library leaves a connection open that fails before its first command.
	defer func() {
		if dialed != nil {
			_ = dialed.Close()
		}
	}()
	options := []mail.Option{
		mail.WithPort(port), mail.WithTimeout(mailWithin), mail.WithHELO("localhost"), mail.WithTLSPolicy(mail.TLSMandatory),
		dialWith(guard.Dial),
	}
	config := s.Egress.TLS.Clone()
	if config != nil {
		config.ServerName = host
		options = append(options, mail.WithTLSConfig(config))
	}
	switch {
	case port == tlsPort:
		options = append(options, mail.WithSSL(), dialWith(guard.DialTLS))
	case e.Plain && s.excepted(e.Server):
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	}
	if e.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(e.User), mail.WithPassword(e.Password))
	}
	c, err := mail.NewClient(host, options...)
	if err != nil {
		return invalid("the mail server's name is none", "write it such as smtp.example.org:587")
	}
	if err := c.DialAndSendWithContext(ctx, m); err != nil {
		return mailError(host, refused, m, err)
	}
	return nil
}

// excepted reports whether the owner has named a server among the exceptions of the network.
func (s *Sender) excepted(server string) bool { return slices.Contains(s.AllowPrivate, server) }

// mailError does not wrap err, whose text may quote what was sent.
func mailError(host string, refused error, m *mail.Msg, err error) error {
	switch {
	case refused != nil:
		return unreachable(host, refused)
	case m.SendError() != nil, errors.As(err, new(*textproto.Error)):
		return abi.NewError(CodeRefused, fmt.Sprintf("%q did not take the mail", host), "check the mailbox, the name and the password; it is tried again later")
	}
	return unreachable(host, err)
}
