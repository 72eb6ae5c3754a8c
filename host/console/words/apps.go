package words

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// Apps that read.
const (
	AppsTitle       = "Apps"
	AppsLede        = "Apps that ask to read your data, and those that may. An app gets what you approve, and nothing else."
	AppsAsking      = "Waiting for your answer"
	AppsGranted     = "Access you have granted"
	NoAppsAsk       = "No app asks for anything."
	NoAppsGranted   = "No app may read anything."
	AppColumn       = "App"
	AppCode         = "The code that it shows"
	AppCodeHint     = "Compare it. If the app shows another code, or none, this is not the app in front of you: refuse it."
	AppUnverified   = "not verified"
	AppAsksUntil    = "It asks until"
	AppGets         = "What it gets"
	AppReads        = "It reads"
	AppUsed         = "Used"
	AppEnds         = "Ends"
	AppEndsNever    = "When you revoke it"
	AppAsksTitle    = "wants to read your data"
	AppSays         = "In the words of the app, which nothing enforces"
	AppFor          = "For"
	AppKeeps        = "Says it keeps it for"
	AppThen         = "and then"
	AppPromises     = "Promises"
	AppLeavesItOpen = "The app does not say what it wants. It gets what you choose, and nothing is chosen yet."
	AppAsksFor      = "In its words, it asks for:"
	AppNothingFits  = "Nothing here fits what the app asks for, so it can get nothing. You can only refuse it. The app does not learn why."
	AppChoose       = "Choose what it gets"
	AppChooseHint   = "You can give less than it asks for. Next you see exactly what it would get, before it gets anything."
	AppStreams      = "Streams"
	AppNeeded       = "The app needs it"
	AppOptional     = "The app can do without it"
	AppFields       = "Fields"
	AppAlways       = "always"
	AppConnections  = "Of the connections"
	AppSince        = "Only records from this day on"
	AppUntil        = "Only records before this day"
	AppTimeHint     = "By the records' own time, in UTC. If empty, the app's own limits apply."
	AppExpires      = "It ends"
	AppUsual        = "As is usual: after 30 days, or a day where the app reads once"
	AppDay          = "After 1 day"
	AppQuarter      = "After 90 days"
	AppNever        = "Never, until you revoke it"
	AppTrains       = "It may train models with what it reads"
	AppLook         = "Show what it would get"
	AppWouldGet     = "What it would get"
	AppEnforced     = "This host enforces it."
	AppApprove      = "Approve"
	AppRefuse       = "Refuse"
	AppRefuseHint   = "The app is told that you refused, and gets nothing."
	AppRefuseAll    = "Refuse all that wait"
	AppRefuseAllOf  = "Refuse all of"
	AppsRefuseHint  = "All requests that this list shows are refused, and their apps are told so. One that came since then waits on."
	AppOther        = "Choose something else"
	AppNobodyWaits  = "The app does not wait for your answer here, so its token would reach nobody. Approve it on the machine of this host, where the token is shown to you:"
	AppDecided      = "This request has been decided."
	AppOver         = "This request's time is over. The app can ask again."
	AppGrantedAt    = "Granted"
	AppID           = "Id of the app"
	AppCanRead      = "It can read now"
	AppCannotCount  = "cannot be counted now"
	AppBackTo       = "Your browser is sent back to"
	AppBackHere     = "An app on the machine that you are using"
	AppBackHereHint = "Any program that runs on it can wait there for the access. Go on only if you began this yourself, in an app on this machine, just now."
	AppAlso         = "It calls itself now"
	AppAlsoHint     = "It is registered by the other name. Nobody has verified either."
	AppBackToHint   = "Whoever answers there gets the access. If it is not where you came from, refuse it."
	AppsKnown       = "Apps that are known"
	AppsKnownHint   = "An app that is known can ask, and nothing more. Once it is forgotten, all its access has ended and it has to register again."
	AppGrants       = "Access that it has"
	AppForget       = "Forget it"
	AppHasRead      = "It has read"
	AppReadNothing  = "Nothing so far"
	AppReadsNewest  = "Its newest reads"
	AppReadTimes    = "Stream reads"
	AppTokens       = "Tokens"
	AppDeclaration  = "Approved against manifest"
	AppReadAt       = "When"
	AppRecords      = "Records"
	AppOutcome      = "Outcome"
	AppLimit        = "Bound what it reads"
	AppLimitMiB     = "MiB in an hour"
	AppLimitSet     = "Set the bound"
	AppMonth        = "After 30 days"
	AppYear         = "After 365 days"
	DeviceTitle     = "Enter a device's code"
	DeviceShows     = "Enter the code that a device shows"
	DeviceCode      = "Code"
	DeviceCodeHint  = "Eight letters. Enter only the code of a device in front of you, which you began with yourself: nobody else has a reason to send you one."
	DeviceGoOn      = "See what it asks for"
	DeviceNeedsCode = "It is a device, and it is approved by the code that it shows."
	DeviceAsksTitle = "wants to speak for you"
	DeviceWantsAll  = "It asks to speak for you: its token sees everything that you see. Give it only to a device or a program of your own."
	DeviceApprove   = "Give it the token"
	TokenMay        = "It may"
	TokenReads      = "Read everything"
	TokenRuns       = "Read everything, start and stop runs"
	TokenManages    = "Do everything that you may do"
	AppBegins       = "An app wants to read your data"
	AppBeginsHint   = "It has sent your browser here. Go on to see what it asks for; nothing is given before you say so."
	AppGoOn         = "See what it asks for"
	AppWrong        = "The app has asked in a way that cannot be answered"
	AppWrongHint    = "Nothing was given. Go back to the app, or tell whoever makes it."
	AppApproved     = "Approved"
	AppRefused      = "Refused"
	AppGoesBack     = "Your browser goes back to the app with your answer."
	AppBack         = "Back to the app"
	NoSuchDay       = "A day cannot be read"
	NoSuchDayHint   = "write it as 2026-12-31"
	AppRevoke       = "Revoke"
	AppRevokeHint   = "From its next request on, the app reads nothing any more. What it has read it keeps."
)

var grantStates = map[string]string{"holds": "May read", "revoked": "Revoked", "expired": "Ended", "damaged": "Damaged", "inert": "Nothing left to read"}

// GrantState is a grant's state in words.
func GrantState(state string) string {
	if text, known := grantStates[state]; known {
		return text
	}
	return state
}

// appRefusals say why a browser that an app has sent cannot go on, by the code of its refusal.
var appRefusals = map[string]string{
	"invalid_client":                "This host does not know the app. It has to register again.",
	"invalid_redirect_uri":          "The app wants you to be sent back to an address that it has not registered.",
	"invalid_authorization_details": "The app does not say in a readable way what it wants to read.",
	"unsupported_response_type":     "The app asks for an answer in a way that this host does not give.",
	"invalid_target":                "The app asks for the data of another host.",
	"invalid_scope":                 "The app asks for more than any app can get.",
	"rate_limit_exceeded":           "Too many apps ask at this moment. Try again in a few minutes.",
}

// AppRefusal is such a refusal in words.
func AppRefusal(code string) string {
	if text, known := appRefusals[code]; known {
		return text
	}
	return "The address that the app has sent your browser to is not complete, or is too old."
}

// ReadsOfDays says in words how often an app has read a stream in some days: a request that reads two
// streams counts twice.
func ReadsOfDays(days int, reads int64) string {
	if reads == 0 {
		return "No stream reads in " + strconv.Itoa(days) + " days"
	}
	return words.Plural(reads, "stream read") + " in " + strconv.Itoa(days) + " days"
}

// AppReadOutcome is what became of a read, by the code of its refusal.
func AppReadOutcome(code string) string {
	if code == "" {
		return "Read"
	}
	return "Refused: " + code
}
