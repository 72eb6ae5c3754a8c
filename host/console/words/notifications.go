package words

// Notifications.
const (
	NotificationsTitle = "Notifications"
	NotificationsLede  = "When something needs you, you are told once by each channel: which connection, and what to do. No record and no secret goes out."
	NoChannels         = "Nobody is told: there is no channel yet."
	ChannelName        = "Channel"
	LeadsTo            = "Leads to"
	LastTold           = "Last told"
	StateWorks         = "Works"
	StateFails         = "Fails"
	StateUntried       = "Not tried yet"
	FailsSince         = "last failed"
	TriedAgain         = "tried again"
	TestChannel        = "Test"
	RemoveChannel      = "Remove"
	TellBrowser        = "This browser"
	TellBrowserHint    = "It shows a notification also while no page of this host is open."
	BrowserCannot      = "This browser cannot be told from here: it takes JavaScript, and an address that is https or this machine's own."
	BrowserDidNot      = "The browser did not agree to be told. Its settings for this page may forbid notifications."
	NameIt             = "What you call it"
	TellThisBrowser    = "Tell this browser"
	TellMailbox        = "A mailbox"
	MailTo             = "Mailbox that is written to"
	MailFrom           = "Mailbox that it comes from"
	MailFromHint       = "Left empty, it is the same."
	MailServer         = "Mail server"
	MailServerHint     = "As in smtp.example.org:587. Port 465 is TLS from the beginning, any other STARTTLS."
	MailUser           = "Name at the mail server"
	MailPassword       = "Password at the mail server"
	MailPlain          = "Mail may go unencrypted to this server, which network.allow_private names"
	AddMailbox         = "Add the mailbox"
	TellService        = "A service or a webhook"
	ServiceURL         = "The service's URL"
	ServiceHint        = "ntfy://HOST/TOPIC, gotify://HOST/TOKEN, telegram://TOKEN@telegram?chats=ID, matrix://:TOKEN@HOST/?room=ROOM, slack://A/B/C, discord://TOKEN@ID, or https://… for a webhook that takes JSON. It is stored encrypted, and not shown again."
	AddService         = "Add the service"
	WhenTold           = "When you are told"
	QuietFrom          = "Quiet from"
	QuietUntil         = "Quiet until"
	QuietZone          = "Time zone"
	QuietHint          = "As in Europe/Berlin; left empty, it is UTC. What happens in quiet hours you are told after them."
	TellsOver          = "Tell me also when I am needed no more"
	KeepTelling        = "Keep"
	NoServiceURL       = "No URL was given"
	NoServiceHint      = "paste the URL of the service"
)

var channelKinds = map[string]string{"web_push": "browser", "email": "mailbox", "service": "service"}

// ChannelKind is the kind of a channel in words.
func ChannelKind(kind string) string {
	if text, known := channelKinds[kind]; known {
		return text
	}
	return kind
}
