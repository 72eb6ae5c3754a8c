package browser

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
)

// HandOver has the owner act on the page: they see it and use its mouse and keyboard. message says
// what they are to do, reason is one of abi's, such as abi.HandoffCaptcha, and done says when it
// is done; nil: they say so. ok is false when they cannot do it or nobody came in time. Nothing
// is read meanwhile. Outside SignIn the page is another one afterwards, at the manifest's
// start_url, and every other page is closed. Call it only where the run can ask the owner.
func (p *Page) HandOver(reason, message string, done *abi.HandoffDone) (ok bool, err error) {
	answer, err := p.b.h.Interact(abi.Interaction{
		Kind: abi.InteractionManualAction, Message: message, Browser: &abi.Handoff{Page: int64(p.Number), Reason: reason, DoneWhen: done},
	})
	if err != nil {
		return false, err
	}
	pages, err := p.b.Pages()
	if err != nil {
		return false, err
	}
	if n := len(pages); n > 0 {
		last := pages[n-1]
		p.Number, p.URL, p.Title, p.Status = last.Page, last.URL, last.Title, 0
	}
	return answer.Status == abi.ResponseSuccess, nil
}

// ByHand does a Step of a Login: it hands the page over to its owner, until its address begins with
// until or they say that they are done. Where they cannot be asked, or cannot do it, the run fails with
// KEY_session_required.
func ByHand(reason, message, until string) func(h *sdk.Host, p *Page) error {
	return func(h *sdk.Host, p *Page) error {
		needed := &sdk.Failure{Code: h.ConnectorKey() + "_session_required", Message: "the site asks for its owner", Hint: "manual_action_required"}
		if !h.Interactive() {
			return needed
		}
		ok, err := p.HandOver(reason, message, &abi.HandoffDone{URLPrefix: until})
		if err == nil && !ok {
			err = needed
		}
		return err
	}
}
