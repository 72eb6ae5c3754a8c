package words

// Devices.
const (
	DevicesTitle    = "Devices"
	DevicesLede     = "Other machines that collect what lies on them and deliver it here. A device can deliver, and read nothing."
	NoDevices       = "No device delivers to this host."
	Invite          = "Invite a device"
	InviteLede      = "You get a code that is good once. Whoever has it can enrol one device."
	DeviceName      = "Device"
	LabelFeeds      = "Feeds"
	LastHeard       = "Last heard"
	LabelRevoked    = "Revoked"
	MayDeliver      = "May deliver"
	AddsStreams     = "Waits for you"
	WhatItCollects  = "What it collects"
	CollectsOther   = "A connector that this host does not have"
	LabelOther      = "The connector's name"
	CollectsHint    = "As in claude_code. The device needs its module."
	BindingName     = "What it is called here"
	BindingHint     = "As in laptop. Left empty, it is the connector's name."
	ReachedAt       = "The address at which the device reaches this host"
	ReachedHint     = "As in https://host.example."
	CodeGoodFor     = "The code is good for"
	FifteenMinutes  = "15 minutes"
	OneHour         = "1 hour"
	OneDay          = "1 day"
	UnknownHere     = "This host does not know that connector"
	UnknownHint     = "if its name is right and the device has it, say so below"
	LabelMeant      = "This host does not know that connector; the device has it"
	MakeCode        = "Make a code"
	InvitedTitle    = "Enrol the device now"
	InvitedLede     = "The code is shown this once."
	TypeThis        = "On the device, type:"
	PasteCode       = "When it asks for the code, paste this:"
	CodeAsPicture   = "The code as a picture, for a camera"
	ToDevices       = "Back to the devices"
	DeviceID        = "Id"
	AgentVersion    = "Version of its collector"
	LabelEnrolled   = "Enrolled"
	LabelSources    = "What it delivers"
	NoSources       = "It has delivered nothing yet."
	ItSays          = "It says"
	SaidNothing     = "It has said nothing yet."
	LabelWaiting    = "Waiting"
	GivenUp         = "Given up"
	LabelDelivered  = "Delivered"
	LastDelivery    = "Last delivery"
	LastRefused     = "The last delivery was refused"
	Offers          = "Its connector was renewed, and adds streams"
	OffersHint      = "None of them comes in until you accept them."
	AcceptStreams   = "Accept these streams"
	RevokeDevice    = "Revoke this device"
	RevokeHint      = "Nothing is taken from it any more. What it delivered stays; what it still holds does not come in. This cannot be taken back: the device enrols again with a new code."
	OffersChanged   = "The device offers other streams now"
	OffersHintAgain = "look at them, then accept them"
)

// Connectors.
const (
	ConnectorsTitle  = "Connectors"
	ConnectorsLede   = "Modules that can collect from a service or from folders. Each runs in a sandbox, and only once you accept what it asks for."
	NoConnectors     = "No connector is installed."
	LabelConnector   = "Connector"
	LabelReaches     = "Reaches"
	LabelState       = "State"
	StateAccepted    = "Accepted"
	StateChanged     = "Changed since it was accepted"
	StateNot         = "Not accepted yet"
	StateBroken      = "Cannot run"
	InstallHeading   = "Install a connector"
	InstallHint      = "A .wasm file. It is looked at in the sandbox, which gives it nothing, and runs only once you accept it."
	ModuleFile       = "File"
	ReplaceIt        = "It may take the place of another version of its connector"
	LabelInstall     = "Install"
	AsksFor          = "What it asks for"
	LabelStreams     = "What it collects"
	LabelModule      = "The module"
	LabelFile        = "File"
	LabelHash        = "SHA-256"
	LabelSize        = "Size"
	ABIVersion       = "ABI"
	RunBy            = "Connections"
	RunsThis         = "runs this module"
	RunsOther        = "has accepted another module"
	LookAndAccept    = "Look at it and accept it"
	AcceptTitle      = "Let this connector run?"
	AcceptLede       = "This is everything that it gets. It gets nothing else, and another version asks you again."
	ByNameAlone      = "And only if you say so, one by one"
	ByNameHint       = "These go beyond what a connector of its kind needs. It runs without them."
	WhatChanges      = "What is different from the module that you accepted"
	AcceptIt         = "Accept it"
	NotNow           = "Not now"
	AcceptedFor      = "It is accepted for"
	RemoveConnector  = "Remove this connector"
	RemoveHint       = "Its module is deleted from the plugins folder. Connections that run it stay, with all that they collected, and cannot run until it is installed again."
	ToConnectors     = "Back to the connectors"
	NoFile           = "No file was sent"
	NoFileHint       = "choose the connector's .wasm file"
	NotCollectedNote = "not collected"
	NoLongerOffered  = "It no longer asks for"
	NowAsksFor       = "It now asks for"
	AsksDifferently  = "Another value"
)

// asked are the headings of what a manifest asks for.
var asked = map[string]string{
	"binding": "Uses", "reaches": "Reaches on the network", "reads": "Reads on this machine", "leaves alone": "Leaves alone", "reads the beginning": "Reads the beginning", "folder": "Reads the folder", "credential": "Needs the credential",
	"sends": "Sends", "slot": "May change things with", "variable": "Reads the variable", "option": "Has the setting", "schedule": "When", "stream": "Collects", "version": "Version",
}

// Asked is the heading of one kind of thing that a manifest asks for.
func Asked(what string) string {
	if text, known := asked[what]; known {
		return text
	}
	return what
}

// An invitation's manifest.
const (
	LabelManifest = "Its manifest, if you have it"
	ManifestHint  = "JSON. It names and describes what the device delivers, where the device sends none."
)
