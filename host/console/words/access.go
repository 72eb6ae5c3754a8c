package words

// Signing in, setting up, sessions and tokens.
const (
	ProveTitle     = "Is it you?"
	ProveLede      = "What you are about to make stays when you are signed out, so it needs your password or passkey again. Your browser then goes on by itself. You are asked once in five minutes."
	ProveGoOn      = "Go on"
	ProveByPasskey = "Go on with a passkey"
	SignInTitle    = "Sign in"
	SignInLede     = "This page is the owner's."
	Password       = "Password"
	SignIn         = "Sign in"
	Forgotten      = "If you have no way to sign in any more, `pdpp-host owner reset` on the host's machine makes a link to choose a new one."
	SetUpTitle     = "Choose how you sign in"
	SetUpLede      = "Signing in opens everything that this host has collected. Choose a password of at least 12 characters, a few words do, or a passkey."
	NewPassword    = "New password"
	RepeatPassword = "The same again"
	SetUp          = "Set the password"
	NotTheSame     = "The two passwords differ"
	NotTheSameHint = "type the same one twice"
	UnclaimedTitle = "This host has no owner yet"
	UnclaimedLede  = "When it was started, it printed a link that leads to the choice of a password or a passkey. It is good once, for 15 minutes."
	UnclaimedHint  = "`pdpp-host owner reset` on the host's machine prints a new one."
)

// Passkeys.
const (
	SignInByPasskey    = "Sign in with a passkey"
	SetUpByPasskey     = "Use a passkey instead"
	PasskeyMeans       = "Your device keeps it, and asks for your finger, your face or a PIN each time. Add another device later, so that the loss of one shuts you out of nothing."
	PasskeyDidNot      = "The device gave no passkey: it was refused, came too late, or there is none for this address. Nothing was changed."
	PasskeyNeedsScript = "A passkey needs scripts, which this browser does not run."
	PasskeyNeedsName   = "A passkey belongs to a name, and this address has none or is not encrypted. To use one, open"
	PasskeyNowhere     = "A passkey belongs to a name over TLS, which this address is not."
	PasskeysHeading    = "Passkeys"
	PasskeysHint       = "A device that proves you by your finger, your face or a PIN, at the address for which the passkey was added. Removing one signs every other browser out."
	NoPasskeys         = "There are no passkeys."
	PasskeyName        = "Name of the passkey"
	PasskeyFor         = "For"
	PasskeyAdded       = "Added"
	AddPasskey         = "Add a passkey"
	RemovePasskey      = "Remove"
)
