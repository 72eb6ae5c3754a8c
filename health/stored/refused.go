package stored

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/health"
)

// RefusedDelivery is what this host refuses of what a device delivers: the last of one stream and code, which no later
// delivery of the stream has ended. Its device tries it again, gives it up at last, and says of it no more than that it
// waits; why is this host's own fact.
type RefusedDelivery struct {
	Stream string      `json:"stream,omitempty"`
	Code   health.Word `json:"code"`
	Says   string      `json:"says,omitempty"` // the host's words, without a value of a record
	AtUS   int64       `json:"at_us"`
}

// DeliveryRefused is the reason of an attention over what this host refuses of a device.
const DeliveryRefused health.Word = "delivery_refused"

// refusedDelivery returns the last delivery that is refused, and how many others are; nil for none.
func (s *Facts) refusedDelivery() (last *RefusedDelivery, others int) {
	if s.Device == nil {
		return nil, 0
	}
	n := 0
	for i := range s.Device.Sources {
		for j := range s.Device.Sources[i].Refusals {
			if r := &s.Device.Sources[i].Refusals[j]; last == nil || r.AtUS > last.AtUS {
				last = r
			}
			n++
		}
	}
	return last, max(n-1, 0)
}

// RefusedSaid says what this host refuses of what its devices deliver, why, and what ends that; "" if it refuses nothing.
func (s *Facts) RefusedSaid() string {
	last, others := s.refusedDelivery()
	if last == nil {
		return ""
	}
	text := cmp.Or(last.why(), string(last.Code))
	if last.Stream != "" {
		text = "of stream " + last.Stream + ", " + text
	}
	text += "; " + last.remedy()
	if others > 0 {
		text += fmt.Sprintf(" (and %d more, listed with the device)", others)
	}
	return text
}

// why returns the words without the place in the delivery, which tells an owner nothing.
func (r *RefusedDelivery) why() string {
	if place, rule, found := strings.Cut(r.Says, ": "); found && strings.HasPrefix(place, "records[") {
		return rule
	}
	return r.Says
}

// remedy says what ends the refusal. The device delivers it again by itself until it has given it up.
func (r *RefusedDelivery) remedy() string {
	switch r.Code {
	case "device_records_rejected":
		return "install the same version of the connector, and of pdpp-host and its collector, on both machines, then run the collector there"
	case "device_manifest_missing":
		return "run the collector on the device again, which says first what its connector collects; if that changes nothing, install this host's version of it there"
	case "device_manifest_not_accepted":
		return "look at the streams that the device's connector adds, and accept them: pdpp-host devices accept"
	}
	return "install the collector there that belongs to this host's version, then run it"
}
