package sdk

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
)

// statusFailure is the cause of the failure that CheckStatus returns. A detail lane
// turns it into a gap with its status, and any other Failure ends the lane.
type statusFailure struct{ status int }

func (f *statusFailure) Error() string { return "status " + strconv.Itoa(f.status) }

// CheckStatus returns nil for 2xx and 304, and otherwise a *Failure:
// <connector_key>_auth_failed with the hint to refresh the credentials for 401,
// <connector_key>_http_<status> for the rest.
func (h *Host) CheckStatus(r *Response) error {
	if r.Status >= 200 && r.Status < 300 || r.Status == 304 {
		return nil
	}
	name := abi.CanonicalKey(h.manifest.Get("connector_key").Str())
	status := strconv.Itoa(r.Status)
	if r.Status == 401 {
		return &Failure{
			Code: name + authFailed, Message: "the provider does not accept the credentials (status 401)",
			Hint: "refresh_credentials",
		}
	}
	return &Failure{
		Code: name + "_http_" + status, Message: "the provider answered with status " + status,
		Err: &statusFailure{r.Status},
	}
}
