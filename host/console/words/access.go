package words

// Signing in, setting up, sessions and tokens.
const (
	SignInTitle    = "Sign in"
	SignInLede     = "This page is the owner's."
	Password       = "Password"
	SignIn         = "Sign in"
	Forgotten      = "If you have forgotten it, `pdpp-host owner reset` on the host's machine makes a link to choose a new one."
	SetUpTitle     = "Choose your password"
	SetUpLede      = "It opens everything that this host has collected. Choose at least 12 characters; a few words do."
	NewPassword    = "New password"
	RepeatPassword = "The same again"
	SetUp          = "Set the password"
	NotTheSame     = "The two passwords differ"
	NotTheSameHint = "type the same one twice"
	UnclaimedTitle = "This host has no owner yet"
	UnclaimedLede  = "When it was started, it printed a link that leads to the choice of a password. It is good once, for 15 minutes."
	UnclaimedHint  = "`pdpp-host owner reset` on the host's machine prints a new one."
)
