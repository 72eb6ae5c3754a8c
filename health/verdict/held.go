package verdict

import (
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
)

// noDevice is the reason of a connection whose devices were all revoked.
const noDevice health.Word = "no_device_enrolled"

// waitsForDevice reports whether the connection waits for a device to be enrolled.
func (in *Input) waitsForDevice() bool {
	c := in.condition(health.AttentionClear)
	return c != nil && c.Status == health.False && c.Reason == noDevice
}

// waitTexts holds the texts for a connection that waits for its owner without asking a
// question.
type waitTexts struct{ cta, forward line }

// waitTextsByReason holds the texts for reasons that have a more specific text than the general
// request.
var waitTextsByReason = map[health.Word]waitTexts{
	"folder_not_usable":      {ctaFolder, forwardFolder},
	"module_not_usable":      {ctaModule, forwardModule},
	"module_not_accepted":    {ctaAccept, forwardAccept},
	"address_not_allowed":    {ctaAddress, forwardAddress},
	"option_not_valid":       {ctaOption, forwardOption},
	"binding_not_given":      {ctaBinding, forwardBinding},
	"left_to_owner":          {ctaGap, forwardGap},
	"vault_not_usable":       {ctaVault, forwardVault},
	stored.CameBackUnchanged: {ctaStays, forwardStays},
	stored.DeliveryRefused:   {ctaDelivery, forwardDelivery},

	"input_not_understood": {ctaUnexplained, forwardUnexplained},
	"input_not_whole":      {ctaNotWhole, forwardNotWhole},
	nothingRead:            {ctaUnexplained, forwardNothingReadOf},

	"browser_not_given":  {ctaBrowser, forwardBrowser},
	"sign_in_unfinished": {ctaSignInAgain, forwardSignInAgain},
}

// refused reports whether no run begins until the owner has solved a problem other
// than a credential.
func (in *Input) refused() bool {
	c := in.condition(health.AttentionClear)
	if c == nil || c.Status != health.False {
		return false
	}
	switch c.Reason {
	case "left_to_owner", "input_not_understood", "input_not_whole", stored.CameBackUnchanged, stored.DeliveryRefused:
		return false
	}
	_, known := waitTextsByReason[c.Reason]
	return known
}

// asksToSignIn reports whether a run waits for the credentials without which nothing is
// collected: answering it and signing in are one step.
func (in *Input) asksToSignIn() bool {
	return in.CannotBegin && in.requestOpen() && in.waitingRun() != ""
}

func waitTextsFor(reason health.Word) waitTexts {
	if h, known := waitTextsByReason[reason]; known {
		return h
	}
	return waitTexts{ctaPutRight, forwardPutRight}
}
