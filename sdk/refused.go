package sdk

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// authFailed is the end of the code for credentials that the provider refuses.
const authFailed = "_auth_failed"

// Refused reports whether a request got no answer because the provider asks to be left
// alone (RT-23.1) or because the host had no usable credential: none was given, it
// cannot be used, or its sign-in cannot be renewed. Other requests of the run would
// fail in the same way.
func Refused(err error) bool {
	e, ok := AsFetchError(err)
	return ok && (e.GapReason == abi.ReasonRateLimited || e.concernsCredential())
}

func (e *FetchError) concernsCredential() bool {
	return strings.HasPrefix(string(e.Code), "send.credential_") || e.Code == "send.renewal_refused"
}

// AuthFailed turns the error of a credential that the host could not send into the
// failure that CheckStatus returns for a credential that the provider refused. It
// returns any other error unchanged.
func AuthFailed(connectorKey string, err error) error {
	if e, ok := AsFetchError(err); ok && e.concernsCredential() {
		return &Failure{Code: connectorKey + authFailed, Message: e.Message, Hint: "refresh_credentials", Err: err}
	}
	return err
}
