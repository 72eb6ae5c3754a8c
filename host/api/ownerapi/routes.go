package ownerapi

import (
	"cmp"
	"net/http"
	"reflect"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/host/owner/handoffs"
)

// The scopes, by a short name.
const (
	read   = access.ScopeRead
	run    = access.ScopeRun
	manage = access.ScopeManage
)

// pathIntents is the one path below the connections that is none's.
const pathIntents = "/connections/intents"

// routes is the one table of the API: the router, the OpenAPI document and its page are made
// of it.
func (a *API) routes() []route {
	const (
		get, post, put, patch, remove = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete

		ok, created, accepted = http.StatusOK, http.StatusCreated, http.StatusAccepted

		conn, credential = "/connections/{connection}", "/connections/{connection}/credentials/{field}"
		module, device   = "/connector-templates/{connector}", "/devices/{device}"

		question, channel = "/questions/{question}", "/notification-channels/{channel}"

		handoff = "/handoffs/{handoff}"

		records = conn + "/streams/{stream}/records"

		asked, granted = "/grant-requests/{request}", "/grants/{grant}"
	)
	confirm := []param{{name: "confirm", about: "the name of what is removed, again", required: true}}
	questions := list(param{name: "connection", about: "only of this connection"}, param{name: "open", about: "only those that wait for an answer", kind: flag})
	return []route{
		ask(get, "/control", read, "", "Which actions the host takes", nil, (*call).showControl),
		ask(get, "/status", read, "Fleet", "How all connections are, and what the owner has to do", list(), (*call).showStatus),
		ask(get, "/doctor", read, "doctor.Examine", "Checks the whole installation", []param{{name: "deep", about: "reads the whole store, too, which may take minutes", kind: flag}}, (*call).examine),
		ask(get, "/settings", read, "settings.Read", "The settings that hold, without secrets", nil, (*call).showSettings),
		ask(get, "/audit", manage, "AuditEvents", "What owners changed, and were refused", list(
			param{name: "connection", about: "only of this connection"}, param{name: "operation", about: "only of this operation"},
			param{name: "actor", about: "only by this face", kind: word, words: []string{"command_line", "session", "token", "client"}},
			param{name: "actor_id", about: "only by this session or token"}, param{name: "outcome", about: "done, refused, or a code"},
			param{name: "since", about: "from this moment on", kind: moment}, param{name: "until", about: "before this moment", kind: moment},
		), (*call).listAudit),

		ask(get, "/connections", read, "Connections", "All connections by name", list(
			param{name: "connector_id", about: "only of this connector"},
		), (*call).listConnections),
		send(post, pathIntents, manage, "connectors.Intend", "Says what the owner does for another connection, and where", ok, (*call).intend),
		with(send(post, "/connections", manage, "AddConnection", "Makes a connection", created, (*call).addConnection), tagged),
		with(ask(get, conn, read, "Connection", "One connection", nil, (*call).showConnection), tagged),
		with(send(patch, conn, manage, "ChangeConnection", "Changes name, folders and options of a connection", ok, (*call).changeConnection), edits),
		send(post, conn+"/revoke", manage, "RevokeConnection", "Lets nothing of a connection run until its owner accepts it again", ok, (*call).revokeConnection),
		ask(remove, conn, manage, "RemoveConnection", "Removes a connection and all that it collected", confirm, (*call).removeConnection),
		ask(get, conn+"/health", read, "Health", "How one connection is", []param{{name: "detail", about: "all that the verdict rests on", kind: flag}}, (*call).health),
		ask(get, conn+"/files", read, "unread.Show", "The files of a connection's folders that were not understood", nil, (*call).showFiles),
		send(post, conn+"/files", manage, "unread.Decide", "Says which files are not for a connection", ok, (*call).decideFiles),
		with(ask(get, conn+"/schedule", read, "SetSchedule", "When a connection runs by itself", nil, (*call).showSchedule), tagged),
		with(send(put, conn+"/schedule", manage, "SetSchedule", "Says when a connection runs by itself", ok, (*call).putSchedule), edits),
		with(send(post, conn+"/schedule/pause", manage, "SetSchedule", "Runs a connection not by itself for now", ok, (*call).pause), tagged),
		with(send(post, conn+"/schedule/resume", manage, "SetSchedule", "Ends a pause", ok, (*call).resume), tagged),
		ask(get, conn+"/credentials", read, "Credentials", "Which credentials a connection has, never their values", nil, (*call).listCredentials),
		send(put, credential, manage, "credentials.Set", "Stores a credential, encrypted", ok, (*call).setCredential),
		ask(remove, credential, manage, "credentials.Remove", "Forgets a stored credential", nil, (*call).removeCredential),
		ask(remove, conn+"/browser-session", manage, "running.SignOut", "Forgets what a connection's site has left in its browser", nil, (*call).signOut),
		send(post, conn+"/run", run, "serving.Start", "Begins a run", accepted, (*call).startRun),

		ask(get, "/runs", read, "RunsBefore", "Runs, the newest first", list(param{name: "connection", about: "only of this connection"}), (*call).listRuns),
		ask(get, "/runs/{run}", read, "Run", "One run with its events, gaps and checkpoints", nil, (*call).showRun),
		send(post, "/runs/{run}/stop", run, "serving.Stop", "Has a run wind up", accepted, (*call).stopRun),

		ask(get, "/streams", read, "data.Streams", "The streams of all connections, with their counts and days", list(
			param{name: "connection", about: "only of this connection"}, param{name: "stream", about: "only of this name"},
		), (*call).listStreams),
		ask(get, records, read, "data.Records", "Records of a stream", append([]param{
			{name: "fields", about: "the fields of the answer, with commas between"}, {name: "sort", about: "the cursor field, with - before it: descending"},
			{name: "order", about: "of the sort", kind: word, words: []string{"asc", "desc"}},
		}, pagedRecords...), (*call).listRecords),
		ask(get, records+"/{record}", read, "data.RecordOf", "One record with what is known of its changes", nil, (*call).showRecord),
		ask(remove, records+"/{record}", manage, "data.Erase", "Deletes a record, which no run brings back", nil, (*call).eraseRecord),
		send(post, records+"/{record}/restore", manage, "data.Restore", "Lets runs bring a record again that its owner has deleted", ok, (*call).restoreRecord),
		ask(get, "/search", read, "data.Search", "Records with words in them", append([]param{
			{name: "q", about: "words, or \"phrases\"", required: true},
			{name: "connection", about: "only of this connection"}, {name: "stream", about: "only of this name"},
		}, pagedRecords...), (*call).search),

		ask(get, "/questions", read, "questions.List", "What runs ask their owner, the newest first", questions, (*call).listQuestions),
		ask(get, "/interactions", read, "questions.List", "What runs ask their owner, by its other name", questions, (*call).listQuestions),
		ask(get, question, read, "questions.Show", "One question", nil, (*call).showQuestion),
		send(post, question+"/answer", manage, "questions.Answer", "Answers a question; the first answer counts", ok, (*call).answerQuestion),
		send(post, question+"/decline", run, "questions.Decline", "Closes a question without an answer", ok, (*call).declineQuestion),

		ask(get, "/handoffs", read, "handoffs.List", "Pages of browsers that runs have handed to their owner", list(), (*call).listHandoffs),
		ask(get, handoff, read, "handoffs.Show", "One such page, by the id of its question", nil, (*call).showHandoff),
		with(ask(post, handoff+"/attach", manage, "handoffs.Attach", "Opens a page for the browser that asks", nil, (*call).attach), seated),
		with(ask(post, handoff+"/input", manage, "handoffs.Input", "Does on a page what its owner does", nil, (*call).act), func(r *route) {
			r.browser, r.most, r.in = true, handoffs.MostInput, reflect.TypeFor[[]event]()
		}),
		{
			method: post, path: Prefix + handoff + "/view", scope: manage, operation: "handoffs.View", status: ok, media: mediaFrames, browser: true,
			summary: "Shows a page: frames of a byte, J or S, four bytes of length, and a JPEG or JSON", stream: (*call).view,
		},

		ask(get, "/grant-requests", read, "grants.Requests", "Apps that ask, the newest first", list(), (*call).listRequests),
		send(post, "/device-codes", manage, "grants.EnterCode", "Takes the code that a device shows, so that it can be approved", ok, (*call).enterCode),
		send(post, asked+"/approve-token", manage, "grants.ApproveOwnerToken", "Has a device fetch a token that speaks for the owner", ok, (*call).approveToken),
		ask(get, asked, read, "grants.Look", "What an app asks for, and what can be chosen", nil, (*call).lookAtRequest),
		send(post, asked+"/review", manage, "grants.Review", "What an app would get by these choices", ok, (*call).reviewRequest),
		with(send(post, asked+"/approve", manage, "grants.Approve", "Gives an app what the last review showed", created, (*call).approveRequest), secret),
		send(post, asked+"/deny", manage, "grants.Refuse", "Refuses what an app asks for", ok, (*call).denyRequest),
		send(post, "/grant-refusals", manage, "grants.RefuseAll", "Refuses all that one app asks for, or all that apps do", ok, (*call).denyRequests),
		consent(pathReview, "grants.Review", "What an app would get, as the protocol asks for it", (*call).reviewConsent),
		with(consent(pathApprove, "grants.Approve", "Gives an app what the last review showed", (*call).approveConsent), secret),
		consent(pathDeny, "grants.Refuse", "Refuses what an app asks for", (*call).denyConsent),
		ask(get, "/grants", read, "grants.List", "What was granted", list(
			param{name: "client_id", about: "only to this app"},
			param{name: "state", about: "only those that are so", kind: word, words: []string{grants.Holds, grants.Inert, grants.Revoked, grants.Expired, grants.Damaged}},
		), (*call).listGrants),
		ask(get, granted, read, "grants.Show", "One grant, and how much it shows now", nil, (*call).showGrant),
		ask(get, granted+"/reads", read, "grants.Reads", "What an app has read, the newest first", list(), (*call).listReads),
		ask(get, "/disclosures", read, "grants.Reads", "What apps and the owner's programs have read, the newest first", list(
			param{name: "grant_id", about: "only by this grant"},
		), (*call).listDisclosures),
		send(patch, granted, manage, "grants.Limit", "Bounds what an app may read by a grant in an hour", ok, (*call).limitGrant),
		ask(remove, granted, manage, "grants.Revoke", "Ends a grant, from the app's next request on", nil, (*call).revokeGrant),

		ask(get, "/clients", read, "grants.Clients", "The apps that are known", list(), (*call).listClients),
		with(ask(remove, "", manage, "grants.RemoveClient", "Forgets an app, as the protocol asks for it", nil, (*call).removeClient), noContent(pathClient)),
		ask(remove, "/clients/{client}", manage, "grants.RemoveClient", "Forgets an app, and ends all its grants", nil, (*call).removeClient),

		ask(get, "/notification-channels", read, "notifications.List", "Ways to the owner, never their addresses", list(), (*call).listChannels),
		send(post, "/notification-channels", manage, "notifications.Add", "Adds a way to the owner", created, (*call).addChannel),
		ask(get, channel, read, "notifications.Show", "One way to the owner", nil, (*call).showChannel),
		ask(remove, channel, manage, "notifications.Remove", "Forgets a way to the owner", nil, (*call).removeChannel),
		send(post, channel+"/test", manage, "notifications.Test", "Sends a test by a channel", ok, (*call).testChannel),
		ask(get, "/notification-settings", read, "notifications.List", "When the owner is told of what", nil, (*call).showNoticeSettings),
		send(patch, "/notification-settings", manage, "notifications.ChangeSettings", "Changes when the owner is told of what", ok, (*call).changeNoticeSettings),

		ask(get, "/connector-templates", read, "connectors.List", "The installed connectors", list(), (*call).listConnectors),
		ask(get, module, read, "connectors.Inspect", "One installed connector and its manifest", nil, (*call).inspectConnector),
		ask(remove, module, manage, "connectors.Remove", "Removes an installed connector", confirm, (*call).removeConnector),
		ask(get, module+"/terms", read, "connectors.Terms", "What a connector gets when its owner accepts it",
			[]param{{name: "connection", about: "only for this connection"}}, (*call).showTerms),
		send(post, module+"/accept", manage, "connectors.Accept", "Accepts a connector whose terms its owner has seen", ok, (*call).acceptConnector),
		ask(get, module+"/connections", read, "connectors.Verify", "The connections of a connector, held against its module", list(), (*call).verifyConnector),

		ask(get, "/devices", read, "devices.List", "Devices that deliver here, revoked ones as well", list(), (*call).listDevices),
		with(send(post, "/device-invitations", manage, "devices.Invite", "Makes a code with which one device enrols", created, (*call).inviteDevice), secret),
		ask(get, device, read, "devices.Show", "One device and its sources", nil, (*call).showDevice),
		send(post, device+"/accept", manage, "devices.AcceptStreams", "Accepts what the connectors of a device add", ok, (*call).acceptStreams),
		ask(remove, device, manage, "devices.Revoke", "Takes nothing from a device any more", nil, (*call).revokeDevice),

		ask(get, "/tokens", manage, "access.Tokens", "Tokens, without their secrets", list(), (*call).listTokens),
		with(send(post, "/tokens", manage, "access.CreateToken", "Makes a token, whose secret is shown once", created, (*call).createToken), secret),
		ask(remove, "/tokens/{token}", manage, "access.RevokeToken", "Ends a token", nil, (*call).revokeToken),
		ask(get, "/sessions", manage, "access.Sessions", "Browsers in which the owner is signed in", list(), (*call).listSessions),
		ask(remove, "/sessions/{session}", manage, "access.EndSession", "Ends a session", nil, (*call).endSession),
		ask(get, "/passkeys", manage, "access.Passkeys", "Passkeys with which the owner signs in", list(), (*call).listPasskeys),
		ask(remove, "/passkeys/{passkey}", manage, "access.RemovePasskey", "Removes a passkey, and ends all other sessions", nil, (*call).removePasskey),

		{
			method: get, path: Prefix + "/events", scope: read, summary: "What changes, as server-sent events", status: ok, stream: (*call).events,
		},
		{
			method: get, path: PathDocument, scope: read, open: true, summary: "This description", status: ok,
			out: reflect.TypeFor[map[string]any](), stream: (*call).showDocument,
		},
	}
}

// familyOf is the noun of a path.
func familyOf(path string) string {
	for _, prefix := range []string{Prefix, "/v1", ""} {
		if rest, ok := strings.CutPrefix(path, prefix+"/"); ok {
			family, _, _ := strings.Cut(rest, "/")
			return cmp.Or(strings.TrimSuffix(strings.TrimPrefix(family, "."), ".json"), "index")
		}
	}
	return path
}
