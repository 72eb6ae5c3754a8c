package api

import (
	"math"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// enroll turns a code into a credential. A code that was shown before, by a device
// that never got the answer, gets a new credential, and the old one ends.
func (a *API) enroll(c *call) (any, error) {
	leave, wait, err := a.attempts.take(c.r.Context(), a.from(c.r))
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		r := refuse(http.StatusTooManyRequests, device.CodeTooManyAttempts, "too many codes were tried in vain")
		r.after = time.Duration(math.Ceil(wait.Seconds())) * time.Second
		return nil, r
	}
	answer, err := a.enrolled(c)
	leave(err != nil && refusalOf(err).status < http.StatusInternalServerError)
	return answer, err
}

func (a *API) enrolled(c *call) (any, error) {
	var q device.EnrollRequest
	if err := c.decode(&q); err != nil {
		return nil, err
	}
	switch {
	case !isLine(q.DeviceLabel, maxLabel):
		return nil, wrong("device_label", "must be one short line")
	case !isLine(q.AgentVersion, maxLabel):
		return nil, wrong("agent_version", "must be one short line")
	case !device.IsSecret(device.CodePrefix, q.Code):
		return nil, c.noSuchCode()
	}
	if _, err := device.ParseScope(q.Scope); err != nil {
		return nil, wrong("collection_scope", err.Error())
	}
	token, err := device.NewToken(a.random)
	if err != nil {
		return nil, err
	}
	src, err := a.store.Enroll(c.r.Context(), storage.Enrolling{
		CodeHash: device.SecretHash(q.Code), TokenHash: device.SecretHash(token), Label: q.DeviceLabel, AgentVersion: q.AgentVersion, Scope: q.Scope,
	})
	if hasCode(err, device.CodeUnauthorized) {
		return nil, c.noSuchCode()
	}
	if err != nil {
		return nil, err
	}
	a.logger.Info("a device was enrolled", "device", src.DeviceID, "source", src.ID, "connector", src.ConnectorID, "request", c.id)
	return device.Enrollment{
		Object: "device_exporter_enrollment", DeviceID: src.DeviceID, DeviceToken: token, SourceInstanceID: src.ID,
		ConnectorInstanceID: src.ConnectionID, ConnectorID: src.ConnectorID, LocalBindingName: src.Binding,
	}, nil
}

// noSuchCode answers a code that never existed, or that nobody remembers: it has one answer
// whatever is wrong with it, and costs what one that is refused does.
func (c *call) noSuchCode() *refusal {
	c.w.Header().Set("WWW-Authenticate", "Bearer")
	return refuse(http.StatusUnauthorized, device.CodeUnauthorized, "there is no such enrollment code; make a new one on the host")
}

// selfRevoke ends the device's own credential.
func (a *API) selfRevoke(c *call) (any, error) {
	at, err := a.store.RevokeDevice(c.r.Context(), c.device.ID)
	if err != nil {
		return nil, err
	}
	a.logger.Info("a device gave its credential back", "device", c.device.ID, "request", c.id)
	return device.Revocation{Object: "device_exporter_revocation", DeviceID: c.device.ID, RevokedAt: at.UTC()}, nil
}
