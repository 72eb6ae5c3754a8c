package ui

import "github.com/pdpp-host/pdpp-host/host/console/words"

// Place is an entry of the navigation: the first segment of its address.
type Place string

// The places.
const (
	Overview      Place = "overview"
	Runs          Place = "runs"
	Data          Place = "data"
	Questions     Place = "questions"
	Connectors    Place = "connectors"
	Devices       Place = "devices"
	Apps          Place = "apps"
	Notifications Place = "notifications"
	Audit         Place = "audit"
	Settings      Place = "settings"
)

type link struct {
	place       Place
	path, label string
}

// Places are the entries of the navigation that lead somewhere, in their order.
var places = []link{
	{Overview, "/", words.NavOverview},
	{Data, "/data", words.NavData},
	{Runs, "/runs", words.NavRuns},
	{Questions, "/questions", words.NavQuestions},
	{Connectors, "/connectors", words.NavConnectors},
	{Devices, "/devices", words.NavDevices},
	{Apps, "/apps", words.NavApps},
	{Notifications, "/notifications", words.NavNotifications},
	{Audit, "/audit", words.NavAudit},
	{Settings, "/settings", words.NavSettings},
}

// Frame is what surrounds a page.
type Frame struct {
	Title     string
	Current   Place
	SignedIn  bool
	Proof     string // of forms
	Theme     Theme
	Questions int    // that wait for an answer
	Notice    string // what was just done; "": nothing
	Version   string
	Away      string // where the browser goes by itself; "": it stays
}

// Theme is a look.
type Theme string

// The looks. ThemeAuto follows the system's.
const (
	ThemeAuto  Theme = "auto"
	ThemeLight Theme = "light"
	ThemeDark  Theme = "dark"
)

// ThemeOf returns the look of that name, or ThemeAuto.
func ThemeOf(name string) Theme {
	switch t := Theme(name); t {
	case ThemeLight, ThemeDark:
		return t
	}
	return ThemeAuto
}
