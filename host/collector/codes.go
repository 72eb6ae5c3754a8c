package collector

import "github.com/pdpp-host/pdpp-host/abi"

// The codes of what a collector refuses and of what its host refused.
const (
	CodeProfileMissing   abi.Code = "profile.missing"
	CodeProfileAmbiguous abi.Code = "profile.ambiguous"
	CodeProfileInvalid   abi.Code = "profile.invalid"
	CodeProfileOpen      abi.Code = "profile.readable_by_others"
	CodeProfileUnusable  abi.Code = "profile.unusable" // its folder or file cannot be read or written

	CodeAddress      abi.Code = "delivery.address_refused"
	CodeUnauthorized abi.Code = "delivery.unauthorized" // 401, 403: the credential is dead
	CodeGone         abi.Code = "delivery.gone"         // 404, 410: the host knows no such lane
	CodeProtocol     abi.Code = "delivery.protocol"     // the host speaks another version
	CodeUnreachable  abi.Code = "delivery.unreachable"  // transient
	CodePaused       abi.Code = "delivery.paused"       // the host wants to be left alone for a while
	CodeRefused      abi.Code = "delivery.refused"      // permanent
	CodeAnswer       abi.Code = "delivery.answer"       // an answer that cannot be believed
	CodeStateRead    abi.Code = "delivery.state_read_failed"

	CodeCode abi.Code = "enrollment.code_refused"

	CodeLaneMissing     abi.Code = "lane.missing" // nothing was ever collected here
	CodeLaneUndelivered abi.Code = "lane.undelivered"
)
