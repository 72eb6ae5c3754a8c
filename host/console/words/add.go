package words

// The way to a new connection.
const (
	AddTitle       = "Add a connection"
	AddLede        = "Choose a connector. You see what it asks for before it gets anything."
	PluginsEmpty   = "There is no connector yet. Put one into the plugins folder:"
	ChooseThis     = "Look at it"
	CannotRun      = "It cannot run here."
	ReachesHosts   = "Reaches"
	ReadsFolders   = "Reads"
	ReachesNoHosts = "Reaches no other machine."
	StepChoose     = "Choose"
	StepAllow      = "Allow"
	StepSignIn     = "Sign in"
	StepRun        = "First run"
	ConnectTo      = "Connect"
	AllowLede      = "This is all that it gets. Nothing runs before you allow it."
	NameOfIt       = "Name of the connection"
	NameHint       = "Letters, digits, '.', '_' and '-'."
	FoldersOfIt    = "Folders"
	SettingsOfIt   = "Settings"
	LeaveEmpty     = "A field that you leave empty keeps the connector's own value, which it shows in grey where it has one."
	AllowAndMake   = "Allow this and connect"
	AnotherOne     = "Choose another"
)

// Steps are the steps of the way, in their order.
var Steps = []string{StepChoose, StepAllow, StepSignIn, StepRun}
