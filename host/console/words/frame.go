package words

// Key names what was done, in the address that a browser is sent to.
type Key string

// The keys of notices.
const (
	PasswordSet     Key = "password_set"
	PasswordChanged Key = "password_changed"
	PasskeySet      Key = "passkey_set"
	PasskeyAddedNow Key = "passkey_added"
	PasskeyRemoved  Key = "passkey_removed"
	SignedOutNow    Key = "signed_out"
	SessionEnded    Key = "session_ended"
	MadeEnded       Key = "made_ended"
	TokenRevoked    Key = "token_revoked"
	ThemeKept       Key = "theme_kept"
	OthersEnded     Key = "others_ended"
	DeviceRevoked   Key = "device_revoked"
	StreamsAccepted Key = "streams_accepted"
	ModuleInstalled Key = "module_installed"
	ModuleThere     Key = "module_there"
	ModuleAccepted  Key = "module_accepted"
	ModuleRemoved   Key = "module_removed"

	RunStarted        Key = "run_started"
	RunGoesOn         Key = "run_goes_on"
	RunStopping       Key = "run_stopping"
	SchedulePaused    Key = "schedule_paused"
	ScheduleResumed   Key = "schedule_resumed"
	ScheduleSet       Key = "schedule_set"
	CredentialStored  Key = "credential_stored"  //nolint:gosec // the name of a notice
	CredentialRemoved Key = "credential_removed" //nolint:gosec // the name of a notice
	SettingsKept      Key = "settings_kept"
	ConnectionRemoved Key = "connection_removed"
	ConnectionRevoked Key = "connection_revoked"
	ConnectionRenamed Key = "connection_renamed"
	FilesDecided      Key = "files_decided"
	ConnectionAdded   Key = "connection_added"
	RecordErased      Key = "record_deleted"
	RecordRestored    Key = "record_restored"
	QuestionAnswered  Key = "question_answered"
	QuestionDeclined  Key = "question_declined"
	ChannelAdded      Key = "channel_added"
	ChannelRemoved    Key = "channel_removed"
	ChannelTested     Key = "channel_tested"
	NoticesKept       Key = "notices_kept"
	AppApprovedNow    Key = "app_approved"
	DeviceApprovedNow Key = "device_approved"
	AppLimitedNow     Key = "app_limited"
	AppForgottenNow   Key = "app_forgotten"
	AppRefusedNow     Key = "app_refused"
	AppsRefusedNow    Key = "apps_refused"
	AppsNoneRefused   Key = "apps_none_refused"
	AppRevokedNow     Key = "app_revoked"
)

var notices = map[Key]string{ //nolint:gosec // sentences
	PasswordSet:     "Your password is set, and you are signed in.",
	PasswordChanged: "Your password is changed. Every other browser is signed out.",
	PasskeySet:      "Your passkey is set, and you are signed in. Add one of another device in the settings, or a password.",
	PasskeyAddedNow: "The passkey is added, and signs you in from now on.",
	PasskeyRemoved:  "The passkey is removed. Every other browser is signed out.",
	SignedOutNow:    "You are signed out.",
	SessionEnded:    "That browser is signed out.",
	MadeEnded:       "It has ended.",
	TokenRevoked:    "The token is revoked.",
	ThemeKept:       "The look is kept in this browser.",
	OthersEnded:     "Every other browser is signed out.",
	DeviceRevoked:   "The device may not deliver any more.",
	StreamsAccepted: "The device may deliver these streams from now on.",
	ModuleInstalled: "The connector is installed. It runs once you accept it.",
	ModuleThere:     "This module was installed already.",
	ModuleAccepted:  "The connector is accepted, and may run.",
	ModuleRemoved:   "The connector is removed.",

	RunStarted:        "The run has begun.",
	RunGoesOn:         "A run goes on already: this one. Another can begin once it has ended.",
	RunStopping:       "The run winds up. What it has collected is kept.",
	SchedulePaused:    "Paused. Nothing runs by itself until you resume it.",
	ScheduleResumed:   "Resumed. It runs by itself again.",
	ScheduleSet:       "The schedule is kept.",
	CredentialStored:  "The credential is stored, encrypted.",
	CredentialRemoved: "The credential is removed.",
	SettingsKept:      "The folders and settings are kept.",
	ConnectionRemoved: "The connection and all that it collected are removed.",
	ConnectionRevoked: "Nothing of the connection runs until you accept it again.",
	ConnectionRenamed: "The connection has its new name.",
	FilesDecided:      "Your word on the files holds from now on.",
	ConnectionAdded:   "The connection is made.",
	RecordErased:      "The record is deleted. No run brings it back unless you let it.",
	RecordRestored:    "The next run that reads the record brings it again. A connector that reads only what is new may need a full refresh for that.",
	QuestionAnswered:  "Your answer is given, and the run goes on.",
	QuestionDeclined:  "The question is declined, and the run is told so.",
	ChannelAdded:      "The channel is added. Test it, to see that it reaches you.",
	ChannelRemoved:    "The channel is removed, and nothing goes out by it.",
	ChannelTested:     "The test went out. See whether it reached you.",
	NoticesKept:       "The settings are kept.",
	AppApprovedNow:    "The app may read this now.",
	AppForgottenNow:   "The app is forgotten, and its access has ended.",
	AppLimitedNow:     "The bound is set.",
	DeviceApprovedNow: "The device gets its token within a few seconds.",
	AppRefusedNow:     "The app is refused, and is told so.",
	AppsRefusedNow:    "All of them are refused, and their apps are told so.",
	AppsNoneRefused:   "None of them waited any more.",
	AppRevokedNow:     "The app reads nothing any more.",
}

// Notice returns the sentence of a key that came by an address; "" for any other text.
func Notice(key string) string { return notices[Key(key)] }

// The frame of every page.
const (
	Product         = "pdpp"
	Skip            = "Skip to the content"
	Pages           = "Pages"
	Everything      = "Everything on this host."
	Lost            = "The connection to the host is lost. The page goes on by itself when it is back."
	Trouble         = "That did not work"
	Back            = "Back to the overview"
	Broken          = "The host could not do this."
	BrokenHint      = "Try again. If it stays so, `pdpp-host doctor` says what is wrong."
	NoSuchPage      = "There is no such page."
	NoSuchPageHint  = "The address may be old, or what it showed is gone."
	SignedOut       = "You are signed out."
	SignInAndRepeat = "Sign in, then do it again: nothing was changed."
	SignOut         = "Sign out"
)

// The navigation.
const (
	NavOverview      = "Overview"
	NavRuns          = "Runs"
	NavData          = "Data"
	NavQuestions     = "Questions"
	NavConnectors    = "Connectors"
	NavDevices       = "Devices"
	NavApps          = "Apps"
	NavNotifications = "Notifications"
	NavAudit         = "Audit"
	NavSettings      = "Settings"
)
