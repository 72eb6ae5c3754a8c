package site

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
)

// codeNoPasskeys says that browsers use no passkeys at an address.
const codeNoPasskeys abi.Code = "web.no_passkeys"

// Passkeys say whether the browser can use passkeys here, and where else it finds a path at
// which it can.
func (v *Visit) Passkeys(path string) ui.Passkeys {
	p, named := v.Guard.Party(v.R)
	return ui.Passkeys{Works: p.ID != "", Named: named, Path: path}
}

// Device is what the browser that asks has at hand, with the answer that its form has and the
// ticket that it brings along, which it has no more afterwards.
func (v *Visit) Device() (*access.Device, error) {
	p, _ := v.Guard.Party(v.R)
	if p.ID == "" {
		return nil, abi.NewError(codeNoPasskeys, words.PasskeyNowhere, "")
	}
	return &access.Device{Ceremonies: &v.Guard.Ceremonies, Party: p, Ticket: v.Guard.Ticket(v.W, v.R), Answer: []byte(v.R.PostFormValue("answer"))}, nil
}

// Ask answers a script with what it asks the device with.
func (v *Visit) Ask(a *access.Asked, err error) error {
	if err != nil {
		return err
	}
	v.Guard.GiveTicket(v.W, v.R, a.Ticket)
	v.W.Header().Set("Content-Type", "application/json")
	_, _ = v.W.Write(a.Options) // the browser went away
	return nil
}
