package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// operations are the commands by which an owner asks for each operation. Text in
// parentheses is the reason of one that no command asks for by itself.
var operations = map[string]string{
	"AcceptModule":     "plugins accept",
	"AcceptStreams":    "devices accept",
	"AddConnection":    "connections add",
	"AuditEvents":      "(the page of the events comes with the console)",
	"ChangeConnection": "connections set",
	"CompactStore":     "store compact",
	"Connection":       "connections show",
	"Connections":      "connections list",
	"Connectors":       "plugins list",
	"Credentials":      "connections credential list",
	"Device":           "devices show",
	"Devices":          "devices list",
	"Fleet":            "status",
	"Health":           "status",
	"InspectConnector": "plugins inspect",
	"InviteDevice":     "devices invite",
	"OpenStream":       "records list",
	"RemoveConnection": "connections remove",
	"RemoveCredential": "connections credential remove",
	"RevokeDevice":     "devices revoke",
	"Run":              "runs show",
	"Runs":             "runs list",
	"SetCredential":    "connections credential set",
	"SetSchedule":      "connections schedule",
	"Streams":          "records export",
	"VerifyModules":    "plugins verify",

	"ConnectionNames": "(completes a name)",
	"DeviceIDs":       "(completes an id)",
	"RunIDs":          "(completes an id)",
	"OnlyConnection":  "(the connection of status --detail)",
	"Close":           "(closes the store)",
	"HasStore":        "(asks for the store)",
	"Store":           "(opens the store)",
	"EachBrief":       "(doctor reads it)",
	"EachOverdue":     "(doctor reads it)",
	"Served":          "(doctor reads it)",
	"ForgetServer":    "(doctor --repair does it)",
	"RepairEvidence":  "(doctor --repair does it)",
	"Looker":          "(run reads it)",
	"OpenTyped":       "(run reads it)",
	"Runtime":         "(run reads it)",
	"Settle":          "(run reads it)",
	"Terms":           "(run reads it)",
	"Verdict":         "(run reads it)",
}

// OC-01.2: every operation of an owner has a command, or a reason stands beside it.
func TestEveryOperationHasACommand(t *testing.T) {
	t.Parallel()
	root := newApp().root()
	methods := reflect.TypeFor[*owner.Owner]()
	for method := range methods.Methods() {
		command, known := operations[method.Name]
		if !known {
			t.Errorf("%s: got no command and no reason, want one", method.Name)
		}
		if !known || strings.HasPrefix(command, "(") {
			continue
		}
		found, rest, err := root.Find(strings.Fields(command))
		if err != nil || len(rest) > 0 || found.RunE == nil {
			t.Errorf("%s: got no command %q (%v), want one", method.Name, command, err)
		}
	}
	if got, want := len(operations), methods.NumMethod(); got != want {
		t.Errorf("got %d operations in the list, want the %d that there are", got, want)
	}
}
