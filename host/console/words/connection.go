package words

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// A connection's page.
const (
	WhatToDo        = "What to do"
	NothingToDo     = "Nothing to do"
	RunsHeading     = "Runs"
	AllRuns         = "All runs"
	StreamsHeading  = "Streams"
	StreamColumn    = "Stream"
	RecordsColumn   = "Records"
	CoverageColumn  = "Collected of what there is"
	StateColumn     = "State"
	NoStreams       = "No stream is known before the first run."
	RunNow          = "Run now"
	MoreRuns        = "Run in another way"
	FullRefresh     = "Collect everything again, from the beginning"
	Incremental     = "Collect what is new"
	ForceRun        = "Run in spite of a pause that the service asked for"
	MeansFolder     = "I mean another folder than before, or an emptied one: what it lacks counts as deleted"
	HowToRun        = "How to run"
	ScheduleHeading = "Schedule"
	Pause           = "Pause"
	Resume          = "Resume"
	ChangeSchedule  = "Change the schedule"
	WayRecommended  = "As its connector recommends"
	WayHand         = "Only when I run it"
	WayEvery        = "Every"
	IntervalNumber  = "How many"
	IntervalUnit    = "Of which unit"
	Minutes         = "minutes"
	Hours           = "hours"
	Days            = "days"
	KeepSchedule    = "Keep this schedule"
	OnlyByHand      = "Only when you run it"
	PausedNow       = "Paused: nothing runs by itself"
	NextRun         = "Next run"
	DueSince        = "Due since"
	OnDevice        = "A device collects it, on its own schedule."
	Credentials     = "Credentials"
	FoldersHeading  = "Folders and settings"
	NoFolders       = "It uses the connector's own folders and settings."
	ChangeSettings  = "Change folders and settings"
	Destinations    = "Where it sent requests"
	HostColumn      = "Host"
	RequestsColumn  = "Requests"
	SentColumn      = "Sent"
	ReceivedColumn  = "Received"
	LastColumn      = "Last"
	NoDestinations  = "It has sent nothing anywhere."
	ModuleHeading   = "Connector"
	ModuleLink      = "What its connector may do"
	RemoveLink      = "Remove this connection"
	DetailsHeading  = "Details"
	DeviceHeading   = "The device that collects it"
	DeviceColumn    = "Device"
	HeardColumn     = "Last heard of"
	NeverHeard      = "never"
	Revoked         = "revoked"
	OnThatMachine   = "These commands are for that machine, not for this host:"
	RefusedHere     = "This host refuses a delivery."
	DriftHeading    = "Fields of another type than before"
	DriftHint       = "The records are taken, and nothing is to be done here. A reader that relies on a type may have to take the new one, too."
	CannotTell      = "Which collector is meant cannot be told, so there is no command to copy."
	MissingHeading  = "What is missing, and what mends it"
	MendedBy        = "Mended by"
	ProviderSays    = "The provider says"
	ModuleMissing   = "The module of its connector is not in the plugins folder."
	GoesOn          = "A run goes on"
	WatchRun        = "Watch it"
	SettingsKey     = "Setting"
	IsSet           = "set"
	AsksAt          = "It asks at"
)

// The page of a connection's credentials.
const (
	CredentialsTitle  = "Credentials"
	CredentialsLede   = "They are kept encrypted on this host. No page shows one, and the connector does not see it." //nolint:gosec // a sentence
	NewValue          = "New value"
	StoreCredential   = "Store"
	RemoveCredential  = "Remove"
	IsStored          = "Stored"
	FromEnvironment   = "Comes from the environment variable"
	IsMissing         = "Missing"
	IsOptional        = "not needed"
	NotUsedAnyMore    = "The connector does not use it any more."
	NotAcceptedName   = "Is set in the environment, but you have not accepted it by name:"
	NoCredentials     = "The connector asks for none."
	NoValue           = "There is nothing to store"
	NoValueHint       = "type the credential"
	ConfirmByRun      = "A run confirms it: it starts by itself, or now."
	BackTo            = "Back to"
	CredentialsFirst  = "What it signs in with"
	FirstRunLede      = "You can run it now, and watch."
	StartFirst        = "Start the first run"
	LaterIsFine       = "Not now"
	FirstTitle        = "Almost there"
	CredentialsNeeded = "It needs this before it can run."
	BrowserHeading    = "Its browser"
	BrowserLede       = "What the site left there signs the connector in. Without it the next run has to sign in anew."
	SignOutHere       = "Forget it"
	SignedOutHere     = "Forgotten. Nothing of the site is left in the browser"
)

// The page of a module's terms.
const (
	ModuleTitle     = "What the connector may do"
	ModuleLede      = "It gets this and nothing else. A connector that changes is not run before you have seen what changed."
	TermsAgain      = "What it gets has changed since you looked, by a folder or a setting that you named or by another version of the connector. This is how it is now."
	ReachesHeading  = "It reaches"
	ReachesNothing  = "It reaches no other machine."
	ReadsHeading    = "It reads"
	ReadsNothing    = "It reads no files."
	OwnFolder       = "the folder that you name"
	SignsIn         = "It signs in with"
	SignsInNot      = "It needs no credential."
	SecretsHeading  = "Secrets go"
	RunsHow         = "It runs"
	RunsByHand      = "when you run it"
	RunsByItself    = "by itself"
	CollectsHeading = "It collects"
	ByNameHeading   = "Only if you say so"
	ByNameLede      = "Each of these is allowed by itself, or not at all."
	EverythingElse  = "All that it asks for, in the host's own words"
	ChangedHeading  = "What is different from what you accepted"
	AddedMark       = "new"
	GoneMark        = "gone"
	ChangedMark     = "now"
	WasMark         = "was"
	NothingChanged  = "It asks for the same as before; its code is another."
	AcceptModule    = "Allow this"
	AcceptedAlready = "You have allowed exactly this module."
	ModuleHash      = "SHA-256 of the module"
)

// The page of a connection's folders and settings.
const (
	FoldersTitle     = "Folders and settings"
	FoldersLede      = "They hold for every run from the next one on."
	FolderField      = "Folder"
	FolderElse       = "else"
	ForgetSetting    = "Forget it"
	SettingIsSet     = "It is set; what you type takes its place."
	NeverSecret      = "Type no password or token here: those are credentials."
	KeepSettings     = "Keep these"
	MeansSource      = "I mean another folder or address than its runs have used: what is missing there counts as deleted"
	NoSettings       = "Its connector has no folders and no settings."
	RemoveTitle      = "Remove the connection"
	RevokeTitle      = "Or let nothing of it run"
	RevokeLede       = "Its records and credentials stay. It runs again when you accept its connector again."
	RevokeIt         = "Let it run no more"
	RenameTitle      = "Rename the connection"
	RenameLede       = "Its records, its credentials and its history stay with it."
	RenameIt         = "Rename it"
	ConnectionName   = "Name"
	RemoveLede       = "This deletes the connection, its credentials, its history and every record that it collected. It cannot be undone."
	RecordsGo        = "Records that go with it"
	TypeName         = "Type the connection's name to go on"
	NameDiffers      = "That is not its name. Nothing was removed."
	RemoveForGood    = "Remove it for good"
	KeepIt           = "Keep it"
	NoInterval       = "The interval is no whole number of minutes, hours or days"
	NoIntervalHint   = "type a number from 1 on"
	NoWay            = "There is no such schedule"
	NoWayHint        = "choose one of the form's"
	SelectedConsents = "allow"
)

// waits are what a schedule waits for.
var waits = map[string]string{
	"policy_paused": "paused", "policy_background_unsafe": "its connector is not safe to run by itself", "not_ready": "waits for its folder or its module",
	"attention": "waits for you", "source_pressure": "cooling down: the service refused requests or was away",
	"failing":          "backing off: it failed the same way again and again",
	"failing_for_good": "not run by itself any more: it failed too often; run it yourself to see why", "running": "runs now",
	"facts_not_available": "it cannot be told whether it may run",
}

// Waits says what a schedule waits for; "": nothing that has a name.
func Waits(reason string) string { return waits[reason] }

// Every says an interval as the beginning of a sentence.
func Every(d time.Duration) string { return "E" + strings.TrimPrefix(words.Every(d), "e") }

// AndMore says how many things are not named.
func AndMore(n int64) string { return "and " + strconv.FormatInt(n, 10) + " more" }
