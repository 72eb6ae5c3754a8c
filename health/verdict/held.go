package verdict

import "github.com/pdpp-host/pdpp-host/health"

// noDevice is the reason of a connection that devices fed and none feeds any more.
const noDevice health.Word = "no_device_enrolled"

// deserted reports whether the connection waits for a device to be enrolled.
func (in *Input) deserted() bool {
	c := in.condition(health.AttentionClear)
	return c != nil && c.Status == health.False && c.Reason == noDevice
}

// held is what is said of a connection that waits for its owner and asks nothing.
type held struct{ cta, forward line }

// heldBy is what is said by the reason, where there is more to say than that
// something is to be put right.
var heldBy = map[health.Word]held{
	"folder_not_usable":   {ctaFolder, forwardFolder},
	"module_not_usable":   {ctaModule, forwardModule},
	"module_not_accepted": {ctaAccept, forwardAccept},
	"address_not_allowed": {ctaAddress, forwardAddress},
	"option_not_valid":    {ctaOption, forwardOption},
	"binding_not_given":   {ctaBinding, forwardBinding},
	"left_to_owner":       {ctaGap, forwardGap},
}

// refused reports whether nothing begins to run until the owner has put something
// right that is no credential.
func (in *Input) refused() bool {
	c := in.condition(health.AttentionClear)
	if c == nil || c.Status != health.False || c.Reason == "left_to_owner" {
		return false
	}
	_, known := heldBy[c.Reason]
	return known
}

func heldFor(reason health.Word) held {
	if h, known := heldBy[reason]; known {
		return h
	}
	return held{ctaPutRight, forwardPutRight}
}
