package main

import (
	"crypto/rand"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/api/ownerapi"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// withoutRoute are the reasons of the operations of operations that have no route of their
// own in the owner's API.
var withoutRoute = map[string]string{
	"connectors.Install":   "a token puts no module on the machine; what a connector may do is accepted where its owner sees it",
	"OpenStream":           "it prints a whole stream; data.Records pages it",
	"Streams":              "it prepares the export of whole streams; data.Streams lists them",
	"data.Blob":            "readers have it at /v1/blobs/{blob_id}",
	"data.Export":          "it writes files; data.Records pages what they hold",
	"Runs":                 "RunsBefore pages them",
	"running.SignIn":       "its window is on the desktop of the host's own machine",
	"running.Captures":     "what pages are made of stays on the machine of the host",
	"running.Capture":      "as running.Captures",
	"running.Run":          "it runs in the process that asks; serving.Start has the server run",
	"serving.Serve":        "it is what serves the API",
	"settings.Defaults":    "settings.Read has every value that holds",
	"store.Compact":        "it needs the store for itself, and serving has it",
	"store.Copy":           "it writes a file on the machine of the host",
	"store.Migrate":        "what serves has done it",
	"grants.Ask":           "a program that reaches the API asks by /agent-connect",
	"grants.NewCredential": "its file is for programs on this machine; an app that reaches the API asks for its token there",
	"made.Since":           "a program that holds a token could hide what it made: its owner looks on a page or the command line",
	"made.End":             "as made.Since",
	"made.EndAll":          "as made.Since",
	"access.Reset":         "it ends all access, and whoever forgot the password has no token either",
}

// OC-01.2: every operation of an owner that has a command has a route of the API, or a
// reason stands beside it.
func TestEveryOperationHasARoute(t *testing.T) {
	t.Parallel()
	api := ownerapi.New(ownerapi.Deps{Guard: &web.Guard{}, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler), Version: "v1"})
	routed := api.Operations()
	for name, command := range operations {
		reason := withoutRoute[name]
		switch has := slices.Contains(routed, name); {
		case has && reason != "":
			t.Errorf("%s: got a route and a reason to have none, want one of them", name)
		case !has && reason == "" && !strings.HasPrefix(command, "("):
			t.Errorf("%s: got no route and no reason, want one", name)
		}
	}
	for name := range withoutRoute {
		if _, known := operations[name]; !known {
			t.Errorf("got %s in the list, want no operation that is not there", name)
		}
	}
	// serving.Start and serving.Stop belong to the process that serves, and take no owner.
	for _, name := range routed {
		if _, known := operations[name]; !known && name != "serving.Start" && name != "serving.Stop" {
			t.Errorf("the API names %s: got no such operation, want one", name)
		}
	}
}
