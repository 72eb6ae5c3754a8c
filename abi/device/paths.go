package device

import "net/url"

// Every request of a collector carries HeaderProtocol with ProtocolVersion. The host
// checks it before the credential.
const (
	HeaderProtocol  = "X-PDPP-Collector-Protocol"
	ProtocolVersion = "1"
)

// Prefix is the path prefix of the device API.
const Prefix = "/_ref/device-exporters"

// Paths that contain no device id.
const (
	PathEnrollmentCodes = Prefix + "/enrollment-codes"
	PathEnroll          = Prefix + "/enroll"
)

// PathHeartbeat accepts the reports of the device's source instances.
func PathHeartbeat(device string) string { return devicePath(device) + "/heartbeat" }

// PathIngest accepts record batches.
func PathIngest(device string) string { return devicePath(device) + "/ingest-batches" }

// PathSelfRevoke revokes the device's own credential.
func PathSelfRevoke(device string) string { return devicePath(device) + "/self-revoke" }

// PathState reads (GET) and commits (PUT) the cursors of a source instance.
func PathState(device, source string) string { return sourcePath(device, source) + "/state" }

// StateAfter is the query parameter that requests the cursors in pages: its value is
// the stream after which the page begins, "" for the first page. A page holds at least
// one cursor, and no more than fit in an answer. The answer to a commit (PUT) holds
// only the committed cursors, whatever the value. A host that does not know the
// parameter, and a request without it, gives all cursors at once.
const StateAfter = "after"

// PathStateAfter is PathState in pages.
func PathStateAfter(device, source, stream string) string {
	return PathState(device, source) + "?" + StateAfter + "=" + url.QueryEscape(stream)
}

// PathManifest stores (PUT) the manifest of the connector that a source instance runs.
// The host checks records against it.
func PathManifest(device, source string) string { return sourcePath(device, source) + "/manifest" }

// PathGaps stores a gap.
func PathGaps(device, source string) string {
	return sourcePath(device, source) + "/local-collector-gaps"
}

// PathGapsRecovered reports that a gap is filled.
func PathGapsRecovered(device, source string) string { return PathGaps(device, source) + "/recovered" }

// PathRunCommits accepts the end of a run.
func PathRunCommits(device, source string) string {
	return sourcePath(device, source) + "/terminal-run-commits"
}

// PathBlob stores (PUT) an artifact under the SHA-256 of its bytes, in hex.
func PathBlob(device, source, sha256 string) string {
	return sourcePath(device, source) + "/blobs/" + url.PathEscape(sha256)
}

func devicePath(device string) string { return Prefix + "/" + url.PathEscape(device) }

func sourcePath(device, source string) string {
	return devicePath(device) + "/source-instances/" + url.PathEscape(source)
}
