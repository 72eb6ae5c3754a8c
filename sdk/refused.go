package sdk

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// authFailed ends the code of credentials that the provider does not take.
const authFailed = "_auth_failed"

// Refused reports whether a request was not answered because the provider asks
// to be left alone (RT-23.1) or because the host had no credential to send it
// with: none was given, it cannot be used, or the sign-in is not renewed any
// more. Other requests of the run fare no better.
func Refused(err error) bool {
	e, ok := AsFetchError(err)
	return ok && (e.GapReason == abi.ReasonRateLimited || e.ofCredential())
}

func (e *FetchError) ofCredential() bool {
	return strings.HasPrefix(string(e.Code), "send.credential_") || e.Code == "send.renewal_refused"
}

// AuthFailed says of a credential that the host could not send what CheckStatus
// says of one that the provider refused. Any other error stays as it is.
func AuthFailed(connectorKey string, err error) error {
	if e, ok := AsFetchError(err); ok && e.ofCredential() {
		return &Failure{Code: connectorKey + authFailed, Message: e.Message, Hint: "refresh_credentials", Err: err}
	}
	return err
}
