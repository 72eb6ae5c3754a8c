package words

// Pages that runs hand to their owner.
const (
	HandoffTitle    = "A page for you"
	HandoffLede     = "The connector has stopped, and reads nothing, until you are done."
	HandoffOpen     = "Open"
	HandoffWatched  = "It is open in a browser of yours."
	HandoffTimeLeft = "Time to act ends"
	HandoffQuestion = "The question"
	HandoffNoHost   = "No site yet"

	HandoffNoScripts = "This view needs JavaScript. Without it, open this page in another browser in which you are signed in, or say below that you cannot: the run then goes on or ends without."
	HandoffOpening   = "The page opens."
	HandoffAgain     = "The connection broke. The page opens again by itself."
	HandoffAway      = "The connection is lost. What you typed went to the site, or nowhere."
	HandoffTaken     = "The page is open in another browser of yours. Close it there, or sign that browser out in the settings."
	HandoffTakenOver = "The page was opened in another tab or window. This one sees nothing more."
	HandoffRefused   = "The page did not take that."
	HandoffReopen    = "Open it here"

	HandoffDone      = "The page is done, and the run goes on."
	HandoffCancelled = "The page is closed: the run was told that it could not be done, or has ended."
	HandoffTimedOut  = "The time for this page is over, and the run was told so. Another run asks again."
	HandoffLost      = "The browser ended. Nothing you typed was kept. Another run asks again."
	HandoffOver      = "What became of the question"

	HandoffPageIs   = "The page of the site"
	HandoffKeys     = "Click into the page, or press Enter on it, to type there. Press Escape twice to leave it. It is a picture: a screen reader cannot read it."
	HandoffInside   = "Your keys go to the page. Press Escape twice to leave it."
	HandoffBack     = "Back"
	HandoffReload   = "Reload"
	HandoffPage     = "Window"
	HandoffClose    = "Close this window"
	HandoffSize     = "Size"
	HandoffDesktop  = "Desktop"
	HandoffTablet   = "Tablet"
	HandoffPhone    = "Phone"
	HandoffText     = "Text for the page"
	HandoffTextHint = "Choose a field on the page first. What you type or paste here goes to the site, and is kept nowhere."
	HandoffType     = "Type it"
	HandoffReveal   = "Show what I type"
	HandoffEnter    = "Enter"
	HandoffTab      = "Next field"
	HandoffErase    = "Delete a character"

	HandoffHosts     = "Hosts that the site asks for, and that the connector does not name"
	HandoffHostsHint = "Allow one where the page does not work without it, until this page is done."
	HandoffAllow     = "Allow"

	HandoffChooser = "The site wanted a file. Files are not given here."
	HandoffDialog  = "The site opened a dialog, which was closed."
	HandoffPopup   = "The site wanted more windows than may be open. Close one first."

	HandoffIAmDone    = "I am done"
	HandoffICannot    = "I cannot"
	HandoffDoneHint   = "The run goes on when the site says that you are signed in, or when you say that you are done."
	HandoffCannotHint = "The run is told that it could not be done."
)

var handoffReasons = map[string]string{
	"login": "Sign in", "two_factor": "Give your second factor", "captcha": "Show that you are a person", "consent": "Decide about a consent",
}

// HandoffReason says what a page is handed over for.
func HandoffReason(reason string) string {
	if text, known := handoffReasons[reason]; known {
		return text
	}
	return "Do what the page asks"
}

// HandoffOutcome says how a page came out.
func HandoffOutcome(outcome string) string {
	switch outcome {
	case "done":
		return HandoffDone
	case "timed_out":
		return HandoffTimedOut
	case "lost":
		return HandoffLost
	}
	return HandoffCancelled
}
