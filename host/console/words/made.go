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
	MadeUnknown       = "Not known"
	MadeLink          = "Was something not you? See what was made in your name, and end it."
)

var madeKinds = map[string]string{
	"token": "Token", "passkey": "Passkey", "channel": "Channel of notifications", "grant": "Access of an app", "device": "Device", "session": "Signed in",
	"token_approval": "Token that a device may fetch", "invitation": "Invitation of a device", "credential": "Another token of an app's access",
}

// MadeKind is what was made, in words.
func MadeKind(kind string) string {
	if text, known := madeKinds[kind]; known {
		return text
	}
	return kind
}

var madeGoesOn = map[string]string{
	"owner.made_left":               "It was made while the rest ended, so end all of it once more:",
	"connection.invitation_unknown": "A device has enrolled with it meanwhile, so look for the device:",
}

// MadeGoesOn says by a code why something that was made goes on.
func MadeGoesOn(code string) string {
	if text, known := madeGoesOn[code]; known {
		return text
	}
	return "It is your only way to sign in, so it goes on:"
}
