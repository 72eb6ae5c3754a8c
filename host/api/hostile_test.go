package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// Whatever is asked, the answer is JSON, and the code is the contract's.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	l, other := ready(t), (*lane)(nil)
	other = l.enroll("desktop")
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = values }
	}
	beat := device.Heartbeat{ConnectorID: theConnector, SourceInstanceID: l.SourceInstanceID, Status: "healthy"}
	heartbeat, state, ingest := device.PathHeartbeat(l.DeviceID), device.PathState(l.DeviceID, l.SourceInstanceID), device.PathIngest(l.DeviceID)
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for name, tc := range map[string]struct {
		method, path string
		body         any
		edit         func(*http.Request)
		status       int
		code         string
	}{
		"no protocol":                 {"POST", heartbeat, beat, header(device.HeaderProtocol), 409, device.CodeProtocolMismatch},
		"another protocol":            {"POST", heartbeat, beat, header(device.HeaderProtocol, "2"), 409, device.CodeProtocolMismatch},
		"two protocols":               {"POST", heartbeat, beat, header(device.HeaderProtocol, "1", "1"), 409, device.CodeProtocolMismatch},
		"protocol before credential":  {"POST", heartbeat, beat, func(r *http.Request) { r.Header.Del(device.HeaderProtocol); r.Header.Del("Authorization") }, 409, device.CodeProtocolMismatch},
		"no credential":               {"POST", heartbeat, beat, header("Authorization"), 401, device.CodeUnauthorized},
		"credential of nobody":        {"POST", heartbeat, beat, header("Authorization", "Bearer ldt"+strings.Repeat("0", 64)), 401, device.CodeUnauthorized},
		"credential is a code":        {"POST", heartbeat, beat, header("Authorization", "Bearer "+l.code("x", 1)), 401, device.CodeUnauthorized},
		"credential of another form":  {"POST", heartbeat, beat, header("Authorization", "Bearer "+l.DeviceToken+" "), 401, device.CodeUnauthorized},
		"basic credential":            {"POST", heartbeat, beat, header("Authorization", "Basic "+l.DeviceToken), 401, device.CodeUnauthorized},
		"two credentials":             {"POST", heartbeat, beat, header("Authorization", "Bearer "+l.DeviceToken, "Bearer "+l.DeviceToken), 401, device.CodeUnauthorized},
		"credential in the query":     {"POST", heartbeat + "?access_token=" + l.DeviceToken, beat, header("Authorization"), 401, device.CodeUnauthorized},
		"another device's credential": {"POST", heartbeat, beat, header("Authorization", "Bearer "+other.DeviceToken), 403, device.CodeForbidden},
		"another device's path":       {"POST", device.PathHeartbeat(other.DeviceID), beat, nil, 403, device.CodeForbidden},
		"another device's source":     {"GET", device.PathState(l.DeviceID, other.SourceInstanceID), nil, nil, 403, device.CodeForbidden},
		"source of nobody":            {"GET", device.PathState(l.DeviceID, "src_none"), nil, nil, 403, device.CodeForbidden},
		"source of spaces":            {"GET", device.PathState(l.DeviceID, " a"), nil, nil, 403, device.CodeForbidden},
		"long source":                 {"GET", device.PathState(l.DeviceID, strings.Repeat("a", 4000)), nil, nil, 403, device.CodeForbidden},
		"heartbeat of another's":      {"POST", heartbeat, device.Heartbeat{ConnectorID: theConnector, SourceInstanceID: other.SourceInstanceID, Status: "healthy"}, nil, 403, device.CodeForbidden},
		"another connector":           {"POST", heartbeat, device.Heartbeat{ConnectorID: "another", SourceInstanceID: l.SourceInstanceID, Status: "healthy"}, nil, 400, device.CodeBadRequest},
		"unknown status":              {"POST", heartbeat, device.Heartbeat{ConnectorID: theConnector, SourceInstanceID: l.SourceInstanceID, Status: "fine"}, nil, 400, device.CodeBadRequest},

		"wrong method":     {"PUT", heartbeat, beat, nil, 405, device.CodeBadRequest},
		"delete":           {"DELETE", state, nil, nil, 405, device.CodeBadRequest},
		"preflight":        {"OPTIONS", heartbeat, nil, header("Origin", "https://evil.example"), 405, device.CodeBadRequest},
		"root":             {"GET", "/", nil, nil, 404, device.CodeNotFound},
		"owner's codes":    {"POST", device.PathEnrollmentCodes, device.EnrollmentCodeRequest{}, nil, 404, device.CodeNotFound},
		"owner's list":     {"GET", device.Prefix, nil, nil, 404, device.CodeNotFound},
		"owner's revoke":   {"POST", device.Prefix + "/" + l.DeviceID + "/revoke", nil, nil, 404, device.CodeNotFound},
		"slash at the end": {"POST", heartbeat + "/", beat, nil, 404, device.CodeNotFound},
		"two slashes":      {"POST", "/" + heartbeat, beat, nil, 404, device.CodeNotFound},
		"dots":             {"POST", device.Prefix + "/x/../" + l.DeviceID + "/heartbeat", beat, nil, 404, device.CodeNotFound},
		"escaped dots":     {"POST", device.Prefix + "/x/%2e%2e/" + l.DeviceID + "/heartbeat", beat, nil, 404, device.CodeNotFound},
		"escaped slash":    {"POST", device.Prefix + "/" + l.DeviceID + "%2fheartbeat", beat, nil, 404, device.CodeNotFound},
		"escaped device":   {"POST", device.Prefix + "/" + l.DeviceID + "%00/heartbeat", beat, nil, 403, device.CodeForbidden},
		"another case":     {"POST", strings.ToUpper(heartbeat), beat, nil, 404, device.CodeNotFound},
		"method in lower":  {"post", heartbeat, beat, nil, 405, device.CodeBadRequest},

		"no type":           {"POST", heartbeat, beat, header("Content-Type"), 415, device.CodeBadRequest},
		"a form":            {"POST", heartbeat, beat, header("Content-Type", "application/x-www-form-urlencoded"), 415, device.CodeBadRequest},
		"text":              {"POST", heartbeat, beat, header("Content-Type", "text/plain"), 415, device.CodeBadRequest},
		"compressed":        {"POST", heartbeat, beat, header("Content-Encoding", "gzip"), 415, device.CodeBadRequest},
		"no body":           {"POST", heartbeat, "", nil, 400, device.CodeBadRequest},
		"two values":        {"POST", heartbeat, "{} {}", nil, 400, device.CodeBadRequest},
		"a list":            {"POST", heartbeat, "[]", nil, 400, device.CodeBadRequest},
		"a name twice":      {"POST", heartbeat, `{"status":"healthy","st\u0061tus":"blocked"}`, nil, 400, device.CodeBadRequest},
		"no UTF-8":          {"POST", heartbeat, "{\"status\":\"\xff\"}", nil, 400, device.CodeBadRequest},
		"half a surrogate":  {"POST", heartbeat, `{"status":"\ud800"}`, nil, 400, device.CodeBadRequest},
		"deep":              {"POST", heartbeat, deep, nil, 400, device.CodeBadRequest},
		"byte order mark":   {"POST", heartbeat, "\ufeff{}", nil, 400, device.CodeBadRequest},
		"wrong type within": {"POST", heartbeat, `{"outbox":{"pending":"many"}}`, nil, 400, device.CodeBadRequest},
		"vast number":       {"POST", heartbeat, `{"records_pending":1e300}`, nil, 400, device.CodeBadRequest},
		"large heartbeat":   {"POST", heartbeat, strings.Repeat(" ", smallBody+1), nil, 413, device.CodeTooLarge},
		"large batch":       {"POST", ingest, strings.Repeat(" ", batchBody+1), nil, 413, device.CodeTooLarge},
		"large and unsaid":  {"POST", ingest, strings.Repeat(" ", batchBody+1), func(r *http.Request) { r.ContentLength = -1 }, 413, device.CodeTooLarge},
		"large state":       {"PUT", state, strings.Repeat(" ", stateBody+1), nil, 413, device.CodeTooLarge},
		"shorter than said": {"POST", heartbeat, beat, func(r *http.Request) { r.Body = http.NoBody }, 400, device.CodeBadRequest},

		"batch of nothing":           {"POST", ingest, device.Batch{}, nil, 400, device.CodeBadRequest},
		"batch below zero":           {"POST", ingest, edited(l, func(b *device.Batch) { b.BatchSeq = -1 }), nil, 400, device.CodeBadRequest},
		"batch id with a line":       {"POST", ingest, edited(l, func(b *device.Batch) { b.BatchID = "a\nb" }), nil, 400, device.CodeBadRequest},
		"batch of a run with a line": {"POST", ingest, edited(l, func(b *device.Batch) { b.RunID = "a\nb" }), nil, 400, device.CodeBadRequest},
		"batch of another device":    {"POST", ingest, edited(l, func(b *device.Batch) { b.DeviceID = other.DeviceID }), nil, 403, device.CodeForbidden},
		"batch of another source":    {"POST", ingest, edited(l, func(b *device.Batch) { b.SourceInstanceID = other.SourceInstanceID }), nil, 403, device.CodeForbidden},
		"batch of an object":         {"POST", ingest, edited(l, func(b *device.Batch) { b.Records = []byte(`{"a":[]}`) }), nil, 400, device.CodeBadRequest},
		"batch of too many":          {"POST", ingest, l.batch("run_1", 1, strings.Repeat(note("a", "")+",", maxRecords)+note("a", "")), nil, 400, device.CodeBadRequest},

		"state of no stream":          {"PUT", state, `{"run_id":"r","state":{}}`, nil, 400, device.CodeBadRequest},
		"state of another stream":     {"PUT", state, `{"run_id":"r","state":{"none":{}}}`, nil, 400, device.CodeBadRequest},
		"state of a text":             {"PUT", state, `{"run_id":"r","state":{"notes":"x"}}`, nil, 400, device.CodeBadRequest},
		"state of a run with a space": {"PUT", state, `{"run_id":"a b","state":{"notes":{}}}`, nil, 400, device.CodeBadRequest},

		"blob of another name": {"PUT", device.PathBlob(l.DeviceID, l.SourceInstanceID, theModule), []byte("x"), nil, 400, device.CodeBatchHashMismatch},
		"blob with no name":    {"PUT", device.PathBlob(l.DeviceID, l.SourceInstanceID, "x"), []byte("x"), nil, 400, device.CodeBadRequest},
		"blob of a path":       {"PUT", device.PathBlob(l.DeviceID, l.SourceInstanceID, "../x"), []byte("x"), nil, 404, device.CodeNotFound},
		"gap with no reason":   {"POST", device.PathGaps(l.DeviceID, l.SourceInstanceID), device.Gap{ConnectorID: theConnector, SourceInstanceID: l.SourceInstanceID}, nil, 400, device.CodeBadRequest},
		"gap of another":       {"POST", device.PathGaps(l.DeviceID, l.SourceInstanceID), device.Gap{ConnectorID: theConnector, SourceInstanceID: other.SourceInstanceID, Reason: "x"}, nil, 400, device.CodeBadRequest},
		"gap with a NUL":       {"POST", device.PathGapsRecovered(l.DeviceID, l.SourceInstanceID), device.GapRecovered{ConnectorID: theConnector, SourceInstanceID: l.SourceInstanceID, Reason: "x", Boundary: "a\x00"}, nil, 400, device.CodeBadRequest},

		"enroll with no code":      {"POST", device.PathEnroll, device.EnrollRequest{}, nil, 401, device.CodeUnauthorized},
		"enroll with a lost code":  {"POST", device.PathEnroll, device.EnrollRequest{Code: "lde" + strings.Repeat("0", 64)}, nil, 401, device.CodeUnauthorized},
		"enroll with an old code":  {"POST", device.PathEnroll, device.EnrollRequest{Code: l.code("late", -1)}, nil, 410, device.CodeCodeExpired},
		"enroll with a long label": {"POST", device.PathEnroll, device.EnrollRequest{DeviceLabel: strings.Repeat("a", 200)}, nil, 400, device.CodeBadRequest},
		"enroll with much":         {"POST", device.PathEnroll, strings.Repeat(" ", enrollBody+1), nil, 413, device.CodeTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := l.in(t)
			edits := []func(*http.Request){func(r *http.Request) { r.RemoteAddr = "192.0.2." + strconv.Itoa(len(name)) + ":1" }}
			if tc.edit != nil {
				edits = append(edits, tc.edit)
			}
			a := l.send(tc.method, tc.path, tc.body, edits...)
			l.refuses(tc.status, tc.code, a)
			for head := range a.head {
				if strings.HasPrefix(head, "Access-Control-") {
					t.Errorf("the answer says %s", head)
				}
			}
			if (tc.status == http.StatusMethodNotAllowed) != (a.head.Get("Allow") != "") || (tc.status == http.StatusUnauthorized) != (a.head.Get("WWW-Authenticate") != "") {
				t.Errorf("%d with %v", tc.status, a.head)
			}
		})
	}
}

// edited is a good batch with one thing wrong.
func edited(l *lane, edit func(*device.Batch)) device.Batch {
	b := l.batch("run_1", 1, note("a", "x"))
	edit(&b)
	return b
}
