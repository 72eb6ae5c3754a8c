package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/web/listen"
)

// admit lets a request through or refuses it, in the order that the contract
// gives: the protocol before the credential, and both before a byte of the body.
func (a *API) admit(c *call) (err error) {
	if c.route.access == unreachable {
		return nil
	}
	if v := c.r.Header.Values(device.HeaderProtocol); len(v) != 1 || v[0] != device.ProtocolVersion {
		return refuse(http.StatusConflict, device.CodeProtocolMismatch,
			"this host speaks version "+device.ProtocolVersion+" of the collector protocol, in the header "+device.HeaderProtocol)
	}
	if c.route.access == anybody {
		return a.admitStranger(c)
	}
	if err := a.place(c); err != nil {
		return err
	}
	if c.route.access == aSource {
		if c.source, err = a.sourceOf(c, c.r.PathValue("source")); err != nil {
			return err
		}
	}
	if err := c.read(); err != nil {
		return err
	}
	// Behind the body: who sends one slowly must not keep the others from theirs.
	if c.route.heavy {
		if !a.slots.takeHeavy(c.r.Context()) {
			return busy("the host is taking in as much as it can")
		}
		c.held = append(c.held, a.slots.giveHeavy)
	}
	return nil
}

// admitStranger lets in who has no credential yet. Their slots are apart, so that who has
// none keeps nobody from delivering, and they have less time. A caller holds a slot only once
// its code has arrived whole: who sends a code slowly must not keep others from theirs.
func (a *API) admitStranger(c *call) error {
	err := http.NewResponseController(c.w).SetReadDeadline(a.now().Add(codeTime))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if err := c.read(); err != nil {
		return err
	}
	return a.takeDevice(c, nobody)
}

// place finds the request a slot, of all and of its device's.
func (a *API) place(c *call) error {
	if !a.slots.take() {
		return busy("the host is answering as many requests as it can")
	}
	c.held = append(c.held, a.slots.give)
	if err := a.identify(c); err != nil {
		return err
	}
	return a.takeDevice(c, c.device.ID)
}

func (a *API) takeDevice(c *call, id string) error {
	if !a.slots.takeDevice(id) {
		return busy("as many requests are open as may be")
	}
	c.held = append(c.held, func() { a.slots.giveDevice(id) })
	return nil
}

// identify reads the credential and holds the path's device to it.
func (a *API) identify(c *call) error {
	token, ok := bearer(c.r.Header)
	if !ok || !device.IsSecret(device.TokenPrefix, token) {
		return unauthorized(c)
	}
	d, err := a.store.DeviceByToken(c.r.Context(), device.SecretHash(token))
	if err != nil {
		if hasCode(err, device.CodeUnauthorized) {
			return unauthorized(c)
		}
		return err
	}
	if !d.Active() {
		return unauthorized(c)
	}
	c.device = d
	listen.Prove(c.r.Context())
	if c.r.PathValue("device") != d.ID {
		return refuse(http.StatusForbidden, device.CodeForbidden, "the credential is another device's")
	}
	return nil
}

func unauthorized(c *call) error {
	c.w.Header().Set("WWW-Authenticate", "Bearer")
	return refuse(http.StatusUnauthorized, device.CodeUnauthorized,
		"the device's credential is missing, unknown or revoked; enroll the device again")
}

// bearer returns the one credential of a request (RFC 6750).
func bearer(h http.Header) (token string, ok bool) {
	v := h.Values("Authorization")
	if len(v) != 1 {
		return "", false
	}
	scheme, token, found := strings.Cut(v[0], " ")
	return token, found && strings.EqualFold(scheme, "Bearer")
}
