package abi

// Cause says what kept a run from its end where more runs do not end it by
// themselves. It is no reason of a run or of a gap: it stands beside one.
type Cause string

// The causes. The first six are the network's, between this host and the service.
const (
	CauseNameUnresolved    Cause = "name_unresolved"
	CauseConnectionRefused Cause = "connection_refused"
	CauseHostUnreachable   Cause = "host_unreachable"
	CauseTLSFailed         Cause = "tls_failed"
	CauseNoAnswer          Cause = "no_answer"
	CauseServiceFails      Cause = "service_fails" // it answers, with errors alone
	CauseDiskFull          Cause = "disk_full"
	CauseConnectorCrashed  Cause = "connector_crashed"
	CauseWorkerKilled      Cause = "worker_killed"
	CauseHostStopped       Cause = "host_stopped"
)

// OfNetwork reports whether the cause stands between this host and the service.
func (c Cause) OfNetwork() bool {
	switch c {
	case CauseNameUnresolved, CauseConnectionRefused, CauseHostUnreachable, CauseTLSFailed, CauseNoAnswer, CauseServiceFails:
		return true
	}
	return false
}
