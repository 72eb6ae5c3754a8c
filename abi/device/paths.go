package device

import "net/url"

// Every request of a collector carries HeaderProtocol with ProtocolVersion. It is
// checked before the credential.
const (
	HeaderProtocol  = "X-PDPP-Collector-Protocol"
	ProtocolVersion = "1"
)

// Prefix is where the device API stands.
const Prefix = "/_ref/device-exporters"

// Paths that name no device.
const (
	PathEnrollmentCodes = Prefix + "/enrollment-codes"
	PathEnroll          = Prefix + "/enroll"
)

// PathHeartbeat takes what a source instance of the device says of itself.
func PathHeartbeat(device string) string { return of(device) + "/heartbeat" }

// PathIngest takes record batches.
func PathIngest(device string) string { return of(device) + "/ingest-batches" }

// PathSelfRevoke ends the device's own credential.
func PathSelfRevoke(device string) string { return of(device) + "/self-revoke" }

// PathState reads (GET) and commits (PUT) the cursors of a source instance.
func PathState(device, source string) string { return lane(device, source) + "/state" }

// StateAfter is the query parameter that asks for the cursors in pages: the value is
// the stream that the page begins behind, "" for the first. A page holds at least
// one cursor, and no more than fit in an answer. The answer to a commit (PUT) holds
// what was committed alone, whatever the value. A host that does not know it, and
// one that is not asked with it, answers with all cursors at once.
const StateAfter = "after"

// PathStateAfter is PathState in pages.
func PathStateAfter(device, source, stream string) string {
	return PathState(device, source) + "?" + StateAfter + "=" + url.QueryEscape(stream)
}

// PathManifest keeps (PUT) the manifest of the connector that a source instance
// runs, which its records are held against.
func PathManifest(device, source string) string { return lane(device, source) + "/manifest" }

// PathGaps keeps a gap.
func PathGaps(device, source string) string { return lane(device, source) + "/local-collector-gaps" }

// PathGapsRecovered says that a gap is filled.
func PathGapsRecovered(device, source string) string { return PathGaps(device, source) + "/recovered" }

// PathRunCommits takes the end of a run.
func PathRunCommits(device, source string) string {
	return lane(device, source) + "/terminal-run-commits"
}

// PathBlob keeps (PUT) an artifact under the SHA-256 of its bytes, in hex.
func PathBlob(device, source, sha256 string) string {
	return lane(device, source) + "/blobs/" + url.PathEscape(sha256)
}

func of(device string) string { return Prefix + "/" + url.PathEscape(device) }

func lane(device, source string) string {
	return of(device) + "/source-instances/" + url.PathEscape(source)
}
