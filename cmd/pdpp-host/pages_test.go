package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/storage"
)

// pages are the pages and forms by which an owner asks for each operation of operations that
// has a command. Text in parentheses is the reason of one that has none.
var pages = map[string]string{
	"connectors.Accept":  "POST /connections/x/module",
	"AddConnection":      "POST /add/x",
	"ChangeConnection":   "POST /connections/x/settings",
	"Connection":         "GET /connections/x",
	"Connections":        "GET /",
	"connectors.List":    "GET /add",
	"connectors.Inspect": "GET /add/x",
	"Credentials":        "GET /connections/x/credentials",
	"credentials.Set":    "POST /connections/x/credentials",
	"credentials.Remove": "POST /connections/x/credentials/remove",
	"Fleet":              "GET /",
	"Health":             "GET /connections/x",
	"RemoveConnection":   "POST /connections/x/remove",
	"RevokeConnection":   "POST /connections/x/revoke",
	"Run":                "GET /runs/x",
	"Runs":               "GET /runs",
	"SetSchedule":        "POST /connections/x/schedule",
	"unread.Show":        "GET /connections/x/files",
	"unread.Decide":      "POST /connections/x/files",
	"running.SignIn":     "(its window is on the desktop of the host's own machine)",
	"running.SignOut":    "POST /connections/x/sign-out",
	"running.Captures":   "(it is for who writes a connector, at the host's own machine)",
	"running.Capture":    "(as running.Captures)",
	"running.Run":        "POST /connections/x/run",
	"serving.Serve":      "(it is what serves the pages)",
	"questions.List":     "GET /questions",
	"questions.Show":     "GET /questions/x",
	"questions.Answer":   "POST /questions/x/answer",
	"questions.Decline":  "POST /questions/x/decline",

	"connectors.Verify":     "(a developer's check of a module, on the command line)",
	"store.Compact":         "(it needs the store for itself, and serving has it)",
	"store.Copy":            "(it needs the store for itself, and serving has it)",
	"store.Migrate":         "(what serves has done it)",
	"doctor.Examine":        "(it looks at an installation that may not serve)",
	"settings.Read":         "GET /settings",
	"settings.Defaults":     "GET /settings",
	"connectors.Install":    "POST /connectors/install",
	"connectors.Remove":     "POST /connectors/of/x/remove",
	"devices.AcceptStreams": "POST /devices/of/x/accept",
	"devices.Show":          "GET /devices/of/x",
	"devices.List":          "GET /devices",
	"devices.Invite":        "POST /devices/invite",
	"devices.Revoke":        "POST /devices/of/x/revoke",
	"access.Sessions":       "GET /settings",
	"made.Since":            "GET /settings/made",
	"made.End":              "POST /settings/made/end",
	"made.EndAll":           "POST /settings/made/end",
	"access.EndSession":     "POST /settings/sessions/end",
	"access.Passkeys":       "GET /settings",
	"access.RemovePasskey":  "POST /settings/passkeys/remove",
	"access.Tokens":         "GET /settings",
	"access.CreateToken":    "POST /settings/tokens",
	"access.RevokeToken":    "POST /settings/tokens/revoke",
	"access.Reset":          "(it is for an owner who cannot sign in)",
	"AuditEvents":           "GET /audit",

	"grants.List":              "GET /apps",
	"grants.Requests":          "GET /apps",
	"grants.Show":              "GET /apps/of/x",
	"grants.Revoke":            "POST /apps/of/x/revoke",
	"grants.Look":              "GET /apps/requests/x",
	"grants.Review":            "POST /apps/requests/x/review",
	"grants.Clients":           "GET /apps",
	"grants.RemoveClient":      "POST /apps/clients/x/remove",
	"grants.Reads":             "GET /apps/of/x",
	"grants.Limit":             "POST /apps/of/x/limit",
	"grants.EnterCode":         "POST /device",
	"grants.ApproveOwnerToken": "POST /apps/requests/x/approve-token",
	"grants.Approve":           "POST /apps/requests/x/approve",
	"grants.Refuse":            "POST /apps/requests/x/deny",
	"grants.RefuseAll":         "POST /apps/requests/deny",
	"grants.NewCredential":     "(it writes a file for programs on the machine of the host)",
	"grants.Ask":               "(an app that reaches the pages asks by itself)",

	"notifications.List":           "GET /notifications",
	"notifications.Add":            "POST /notifications/email",
	"notifications.Remove":         "POST /notifications/of/x/remove",
	"notifications.Test":           "POST /notifications/of/x/test",
	"notifications.ChangeSettings": "POST /notifications/settings",

	"OpenStream":    "GET /data/x/y",
	"Streams":       "GET /data",
	"data.Streams":  "GET /data",
	"data.Days":     "GET /data",
	"data.ShapeOf":  "GET /data/x/y",
	"data.Records":  "GET /data/x/y",
	"data.RecordOf": "GET /data/x/y/record",
	"data.Search":   "GET /data/search",
	"data.Blob":     "GET /data/x/y/record/blob",
	"data.Export":   "GET /data/x/y/export",
	"data.Erase":    "POST /data/x/y/record/delete",
	"data.Restore":  "POST /data/x/y/record/restore",
}

// OC-01.2: every operation of an owner that has a command has a page, or a reason stands
// beside it. A page that is not there answers 404 even to a visitor.
func TestEveryOperationHasAPage(t *testing.T) {
	t.Parallel()
	store, err := storage.Open(t.Context(), storage.Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	guard := &web.Guard{Listening: netip.MustParseAddrPort("127.0.0.1:8377"), As: func(a owner.Actor) *owner.Owner {
		return owner.New(owner.Deps{Open: func(context.Context) (*storage.Store, error) { return store, nil }, Actor: a, Now: time.Now})
	}}
	handler := console.New(&site.Site{Guard: guard, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	status := func(page string) int {
		method, path, _ := strings.Cut(page, " ")
		r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:8377"+path, nil)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	if got := status("GET /nothing"); got != http.StatusNotFound {
		t.Fatalf("a page that there is none of: got %d, want %d", got, http.StatusNotFound)
	}
	for name, command := range operations {
		page, known := pages[name]
		switch {
		case strings.HasPrefix(command, "("):
		case !known:
			t.Errorf("%s: got no page and no reason, want one", name)
		case !strings.HasPrefix(page, "(") && status(page) == http.StatusNotFound:
			t.Errorf("%s: got no page %q, want one", name, page)
		}
	}
	for name := range pages {
		if _, known := operations[name]; !known {
			t.Errorf("got %s in the list, want no operation that is not there", name)
		}
	}
}
