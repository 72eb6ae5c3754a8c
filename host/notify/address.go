package notify

import (
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// The kinds of channel.
const (
	WebPush = "web_push"
	ByEmail = "email"
	Service = "service"
)

// Address is where a channel leads. It is a secret: hosts and people apart, which Target
// shows, all of it can be. Exactly one of its fields is set.
type Address struct {
	Push    *Push  `json:"push,omitempty"`
	Email   *Email `json:"email,omitempty"`
	Service string `json:"service,omitempty"` // a URL: see services
}

// Push is a browser's subscription, as its PushSubscription has it.
type Push struct {
	Endpoint string `json:"endpoint"`
	P256DH   string `json:"p256dh"`
	Auth     string `json:"auth"`
}

// Email is an owner's mailbox, and the server that takes mail for it.
type Email struct {
	To       string `json:"to"`
	From     string `json:"from"`
	Server   string `json:"server"` // host:port; port 465 is TLS from the beginning, any other STARTTLS
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	// Plain lets mail go unencrypted, to a server that network.allow_private names.
	Plain bool `json:"plain,omitempty"`
}

// Kind returns the kind of the channel, and what may be shown of its address. The error is
// notifications.address_invalid, and says nothing of what was given.
func (a *Address) Kind() (kind, target string, err error) {
	if !a.oneLine() {
		return "", "", invalid("it has a line break or another character that cannot be seen", "write it on one line")
	}
	switch {
	case a.Push != nil && a.Email == nil && a.Service == "":
		u, err := url.Parse(a.Push.Endpoint)
		if err != nil || u.Host == "" || u.User != nil || a.Push.P256DH == "" || a.Push.Auth == "" {
			return "", "", invalid("it is no browser's subscription", "subscribe again")
		}
		return WebPush, u.Hostname(), nil
	case a.Email != nil && a.Push == nil && a.Service == "":
		return ByEmail, a.Email.To, a.Email.check()
	case a.Service != "" && a.Push == nil && a.Email == nil:
		p, err := parseService(a.Service)
		if err != nil {
			return "", "", err
		}
		return Service, p.name + " at " + p.url.Hostname(), nil
	}
	return "", "", invalid("it is none, or several", "give one of an e-mail, a service's URL and a browser's subscription")
}

// oneLine reports whether every text of the address can be seen and stands on one line: a line
// break would end the command or the header in which the text is sent.
func (a *Address) oneLine() bool {
	texts := []string{a.Service}
	if e := a.Email; e != nil {
		texts = append(texts, e.To, e.From, e.Server, e.User, e.Password)
	}
	if p := a.Push; p != nil {
		texts = append(texts, p.Endpoint, p.P256DH, p.Auth)
	}
	for _, text := range texts {
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return false
		}
	}
	return true
}

func (e *Email) check() error {
	for _, text := range []string{e.To, e.From} {
		if m, err := mail.ParseAddress(text); err != nil || m.Address != text {
			return invalid("it is no e-mail address", "write one such as ana@example.org")
		}
	}
	host, port, err := net.SplitHostPort(e.Server)
	if _, perr := strconv.ParseUint(port, 10, 16); err != nil || perr != nil || host == "" || strings.ContainsAny(host, ` /@<>"\`) {
		return invalid("the mail server is not host:port", "write it such as smtp.example.org:587")
	}
	return nil
}
