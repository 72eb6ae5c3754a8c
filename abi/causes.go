package abi

// Cause says what stopped a run where running again does not help by itself. It is not
// a reason of a run or of a gap; it accompanies one.
type Cause string

// The causes. The first six are the network's, between this host and the service.
const (
	CauseNameUnresolved    Cause = "name_unresolved"
	CauseConnectionRefused Cause = "connection_refused"
	CauseHostUnreachable   Cause = "host_unreachable"
	CauseTLSFailed         Cause = "tls_failed"
	CauseNoAnswer          Cause = "no_answer"
	CauseServiceFails      Cause = "service_fails" // the service answers, but only with errors
	CauseDiskFull          Cause = "disk_full"
	CauseConnectorCrashed  Cause = "connector_crashed"
	CauseWorkerKilled      Cause = "worker_killed"
	CauseHostStopped       Cause = "host_stopped"
	// CauseRenewedRefused is a service that refused a credential which it had just renewed: the
	// reason lies with the account, the application or the way of asking (AC-11).
	CauseRenewedRefused Cause = "renewed_credential_refused"
)

// OfNetwork reports whether the cause lies between this host and the service.
func (c Cause) OfNetwork() bool {
	switch c {
	case CauseNameUnresolved, CauseConnectionRefused, CauseHostUnreachable, CauseTLSFailed, CauseNoAnswer, CauseServiceFails:
		return true
	}
	return false
}
