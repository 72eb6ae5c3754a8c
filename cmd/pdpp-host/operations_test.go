package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// operations are the commands by which an owner asks for each operation. Text in
// parentheses is the reason of one that no command asks for by itself.
var operations = map[string]string{
	"connectors.Accept":     "plugins accept",
	"devices.AcceptStreams": "devices accept",
	"AddConnection":         "connections add",
	"AuditEvents":           "audit",
	"ChangeConnection":      "connections set",
	"store.Compact":         "store compact",
	"store.Copy":            "store copy",
	"store.Migrate":         "store migrate",
	"Connection":            "connections show",
	"Connections":           "connections list",
	"connectors.List":       "plugins list",
	"connectors.Install":    "plugins install",
	"connectors.Remove":     "plugins remove",
	"Credentials":           "connections credential list",
	"devices.Show":          "devices show",
	"devices.List":          "devices list",
	"Fleet":                 "status",
	"Health":                "status",
	"connectors.Inspect":    "plugins inspect",
	"devices.Invite":        "devices invite",
	"OpenStream":            "records list",
	"RemoveConnection":      "connections remove",
	"RevokeConnection":      "connections revoke",
	"connectors.Intend":     "(a program asks what its owner does; connections add does it)",
	"credentials.Remove":    "connections credential remove",
	"devices.Revoke":        "devices revoke",
	"Run":                   "runs show",
	"Runs":                  "runs list",
	"credentials.Set":       "connections credential set",
	"SetSchedule":           "connections schedule",
	"unread.Show":           "connections files",
	"unread.Decide":         "connections files",
	"Streams":               "records export",
	"connectors.Verify":     "plugins verify",
	"questions.List":        "questions list",
	"notifications.List":    "notifications list",
	"notifications.Show":    "(notifications list has it)",
	"notifications.Add":     "notifications add",
	"notifications.Remove":  "notifications remove",
	"notifications.Test":    "notifications test",

	"notifications.ChangeSettings": "notifications settings",
	"notifications.PushKey":        "(a browser subscribes with it)",
	"notifications.Watch":          "(serve runs it)",

	"questions.Show":    "questions show",
	"questions.Answer":  "questions answer",
	"questions.Decline": "questions decline",
	"questions.Satisfy": "(connections credential set does it)",

	"handoffs.List":   "(only the process that serves has them; questions list says what waits)",
	"handoffs.Show":   "(as handoffs.List)",
	"handoffs.Attach": "(a page alone: its owner sees what they type into, which a terminal shows to nobody)",
	"handoffs.View":   "(as handoffs.Attach)",
	"handoffs.Input":  "(as handoffs.Attach)",

	"access.Reset":    "owner reset",
	"made.Since":      "owner made",
	"made.End":        "owner made",
	"made.EndAll":     "owner made",
	"access.Sessions": "owner sessions",

	"grants.UnfetchedTokens":  "(owner made lists them)",
	"grants.WithdrawToken":    "(owner made --end does it)",
	"grants.Credentials":      "(owner made lists them)",
	"grants.RevokeCredential": "(owner made --end does it)",
	"devices.Invitations":     "(owner made lists them)",
	"devices.Withdraw":        "(owner made --end does it)",

	"access.EndSession":  "owner end-session",
	"access.Passkeys":    "owner passkeys",
	"access.CreateToken": "tokens create",
	"access.Tokens":      "tokens list",
	"access.RevokeToken": "tokens revoke",

	"grants.List":     "grants list",
	"grants.Show":     "grants show",
	"grants.Revoke":   "grants revoke",
	"grants.Requests": "grants requests",
	"grants.Look":     "grants look",
	"grants.Review":   "grants review",
	"grants.Approve":  "grants approve",
	"grants.Refuse":   "grants deny",
	"grants.Ask":      "grants ask",
	"grants.Caller":   "(mcp reads under it)",
	"grants.ByToken":  "(mcp reads under it)",
	"grants.Counting": "(mcp counts its reads with it)",

	"grants.RefuseAll":         "grants deny",
	"grants.NewCredential":     "grants credential-file",
	"grants.Clients":           "clients list",
	"grants.RemoveClient":      "clients remove",
	"grants.Reads":             "grants reads",
	"grants.Limit":             "grants limit",
	"grants.EnterCode":         "grants code",
	"grants.ApproveOwnerToken": "tokens approve",
	"grants.Find":              "(a page finds the request that an app has the address of)",

	"access.BySession":       "(identifies a browser)",
	"access.ByToken":         "(identifies a program)",
	"access.Introspects":     "(identifies a resource server)",
	"access.Claimed":         "(serve reads it)",
	"access.OfferLink":       "(serve prints it)",
	"access.LinkOpen":        "(a page reads it)",
	"access.Claim":           "(a page alone: it opens a browser's session)",
	"access.SignInWith":      "(a page alone: it opens a browser's session)",
	"access.AskToSignIn":     "(a page alone: a browser asks a device)",
	"access.AskToClaim":      "(a page alone: a browser asks a device)",
	"access.AskToAdd":        "(a page alone: a browser asks a device)",
	"access.SignInByPasskey": "(a page alone: it opens a browser's session)",
	"access.ClaimByPasskey":  "(a page alone: it opens a browser's session)",
	"access.AddPasskey":      "(a page alone: a browser asks a device)",
	"access.RemovePasskey":   "owner remove-passkey",
	"access.NewMark":         "(a page alone: a browser keeps it)",
	"access.SignInWays":      "(a page reads it)",
	"access.Prove":           "(a page alone: it is for a browser's session)",
	"access.ProveByPasskey":  "(a page alone: it is for a browser's session)",
	"access.AskToProve":      "(a page alone: a browser asks a device)",
	"access.ChangePassword":  "(a page alone: here it is owner reset)",

	"data.Search":  "records search",
	"data.Export":  "records export",
	"data.Erase":   "records delete",
	"data.Restore": "records restore",

	"data.Blob":       "(a page offers it; GET /v1/blobs/{blob_id} has it for programs)",
	"data.Days":       "(a page draws it)",
	"data.IndexingOf": "(a page says it; records search says what it did not look at)",
	"data.ShapeOf":    "(a page offers its columns)",
	"data.RecordOf":   "(a page shows it; records get prints the record)",
	"data.Records":    "(a page shows it; records list goes by key)",
	"data.Streams":    "(a page shows it; connections show counts them)",

	"doctor.Examine":    "doctor",
	"running.Run":       "run",
	"running.SignIn":    "connections sign-in",
	"running.SignOut":   "connections sign-out",
	"running.Captures":  "runs captures",
	"running.Capture":   "runs captures",
	"serving.Serve":     "serve",
	"settings.Read":     "config show",
	"settings.Defaults": "config show",

	"FleetChosen":     "(status lists all; the console filters)",
	"NeedsOwner":      "(status lists it first; the console asks for it alone)",
	"RunDays":         "(the console draws it)",
	"StatusOf":        "(the console reads a row again)",
	"FreeName":        "(a page suggests it)",
	"connectors.Look": "(plugins accept shows the terms itself)",

	"ConnectionNames":      "(completes a name)",
	"TellPutRight":         "(an operation that puts something right does it)",
	"devices.IDs":          "(completes an id)",
	"RunIDs":               "(completes an id)",
	"RunsBefore":           "(runs list asks for the newest)",
	"OnlyConnection":       "(the connection of status --detail)",
	"running.Deps":         "(serve reads it)",
	"questions.Park":       "(serve reads it)",
	"running.Streams":      "(completes a name)",
	"running.Unpaced":      "(plugins test reads it)",
	"CredentialConnection": "(credentials set reads it)",
	"Describe":             "(plugins accept reads it)",
	"DescribeAny":          "(plugins inspect reads it)",
	"Find":                 "(credentials set reads it)",
	"ManifestOf":           "(credentials set reads it)",
	"NeedProof":            "(an operation that makes what outlasts a session asks it)",
	"Audited":              "(leaves the event of a change)",
	"Refused":              "(leaves the event of a refusal)",
	"RefusedTo":            "(leaves the event of a refusal)",
	"Witness":              "(leaves the event of a run)",

	"connectors.Terms":             "(plugins accept shows them when it asks)",
	"connectors.WitnessAcceptance": "(leaves the event of a run)",

	"As":                    "(asks as another actor)",
	"Close":                 "(closes the store)",
	"HasStore":              "(asks for the store)",
	"Store":                 "(opens the store)",
	"Reader":                "(reads the store)",
	"EachBrief":             "(doctor reads it)",
	"Tell":                  "(readers read it, under their scope)",
	"EachOverdue":           "(doctor reads it)",
	"Served":                "(doctor reads it)",
	"ReachedAt":             "(owner reset and grants credential-file read it)",
	"doctor.ForgetServer":   "(doctor --repair does it)",
	"doctor.RepairEvidence": "(doctor --repair does it)",
	"doctor.RepairIndex":    "(doctor --repair does it)",
	"DiskFull":              "(each face reads it before its verdicts)",
	"GiveBack":              "(an operation that makes room does it)",
	"KeepReserve":           "(serve does it)",
	"KeepTurnedAway":        "(serve does it)",
	"TurnAway":              "(run and serve note a start that was refused)",
	"LetGo":                 "(serve closes a store that it only showed)",
	"StoreAsItIs":           "(serve opens a store to show it)",
	"StoreToShow":           "(serve opens a store to show it)",
	"TakesWrites":           "(serve reads it)",
	"RefuseRuns":            "(run and serve ask it)",
	"RefusesRuns":           "(each face reads it before its verdicts)",
	"RefuseFull":            "(run asks it)",
	"Looker":                "(run reads it)",
	"OpenTyped":             "(run reads it)",
	"Runtime":               "(run reads it)",
	"Settle":                "(run reads it)",
	"Terms":                 "(run reads it)",
	"Verdict":               "(run reads it)",
}

// operationRooms are the folders of host/owner that hold operations as functions.
var operationRooms = []string{"access", "connectors", "credentials", "data", "devices", "doctor", "grants", "handoffs", "made", "notifications", "questions", "running", "serving", "settings", "store", "unread"}

// OC-01.2: every operation of an owner has a command, or a reason stands beside it.
func TestEveryOperationHasACommand(t *testing.T) {
	t.Parallel()
	var names []string
	for method := range reflect.TypeFor[*owner.Owner]().Methods() {
		names = append(names, method.Name)
	}
	for _, room := range operationRooms {
		names = append(names, functionsOf(t, room)...)
	}
	root := newApp().root()
	for _, name := range names {
		command, known := operations[name]
		if !known {
			t.Errorf("%s: got no command and no reason, want one", name)
		}
		if !known || strings.HasPrefix(command, "(") {
			continue
		}
		found, rest, err := root.Find(strings.Fields(command))
		if err != nil || len(rest) > 0 || found.RunE == nil {
			t.Errorf("%s: got no command %q (%v), want one", name, command, err)
		}
	}
	for name := range operations {
		if !slices.Contains(names, name) {
			t.Errorf("got %s in the list, want no operation that is not there", name)
		}
	}
}

// functionsOf returns the functions of a room that take an owner or a configuration.
func functionsOf(t *testing.T, room string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../host/owner", room, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: got no files, %v", room, err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, p := range fn.Type.Params.List {
				if text := types.ExprString(p.Type); text == "*owner.Owner" || text == "*config.Config" || room == "settings" {
					names = append(names, room+"."+fn.Name.Name)
					break
				}
			}
		}
	}
	return names
}
