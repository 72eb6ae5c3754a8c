package collector

import "github.com/pdpp-host/pdpp-host/abi"

// Why a collector does not do what its owner asks of a lane.
const (
	CodeStateRead       abi.Code = "delivery.state_read_failed"
	CodeLaneMissing     abi.Code = "lane.missing" // nothing was ever collected here
	CodeLaneUndelivered abi.Code = "lane.undelivered"
)
