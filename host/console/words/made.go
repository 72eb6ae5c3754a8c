package words

// The page of what was made since a time.
const (
	MadeTitle         = "Something was not me"
	MadeLede          = "All that was made in your name since a time and still works. Tick what you do not know, and end it. Change your password as well: what you sign in with is not ended here."
	MadeSince         = "Made since"
	MadeDay           = "The last day"
	MadeWeek          = "The last 7 days"
	MadeMonth         = "The last 30 days"
	MadeYear          = "The last 365 days"
	MadeNothing       = "Nothing was made since then that still works."
	MadeEnd           = "End what is ticked"
	MadeEndAll        = "End all of it"
	MadeEndHint       = "All of it is all in this list but this browser. The audit log shows what was ended."
	MadeNothingTicked = "Nothing is ticked"
	MadeTick          = "tick what was not you, or end all of it"
	MadeGoesOn        = "It is your only way to sign in, so it goes on:"
	MadeUnknown       = "Not known"
	MadeLink          = "Was something not you? See what was made in your name, and end it."
)

var madeKinds = map[string]string{"token": "Token", "passkey": "Passkey", "channel": "Channel of notifications", "grant": "Access of an app", "device": "Device", "session": "Signed in"}

// MadeKind is what was made, in words.
func MadeKind(kind string) string {
	if text, known := madeKinds[kind]; known {
		return text
	}
	return kind
}
