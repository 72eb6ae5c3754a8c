package api

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Store is what the API needs of *storage.Store. Each method is one transaction.
type Store interface {
	trust
	module
	feed
	Connection(ctx context.Context, name string) (*storage.Connection, error)
}

// trust is who may deliver what.
type trust interface {
	Enroll(ctx context.Context, e storage.Enrolling) (*storage.SourceInstance, error)
	DeviceByToken(ctx context.Context, tokenHash string) (*storage.Device, error)
	SourceInstance(ctx context.Context, deviceID, sourceID string) (*storage.SourceInstance, error)
	RevokeDevice(ctx context.Context, deviceID string) (time.Time, error)
}

// module is which connector a device runs.
type module interface {
	PutDeviceManifest(ctx context.Context, src *storage.SourceInstance, moduleSHA256 string, manifest []byte) (changed bool, err error)
	LearnManifest(ctx context.Context, src *storage.SourceInstance, moduleSHA256 string, manifest []byte) error
}

// feed is what is delivered. A delivery that comes twice is stored once and answered twice.
type feed interface {
	PutHeartbeat(ctx context.Context, src *storage.SourceInstance, h device.Heartbeat) (time.Time, error)
	RefuseDelivery(ctx context.Context, src *storage.SourceInstance, d storage.RefusedDelivery, beside bool) error
	IngestBatch(ctx context.Context, b storage.IngestBatch) (accepted int64, replayed bool, err error)
	DeviceState(ctx context.Context, src *storage.SourceInstance, part storage.StatePart) (state map[string][]byte, next string, updatedAt time.Time, err error)
	CommitDeviceState(ctx context.Context, src *storage.SourceInstance, runID string, state map[string][]byte) error
	PutDeviceGap(ctx context.Context, src *storage.SourceInstance, g device.Gap) (*storage.Gap, error)
	RecoverDeviceGap(ctx context.Context, src *storage.SourceInstance, g device.GapRecovered) (*storage.Gap, error)
	CommitDeviceRun(ctx context.Context, src *storage.SourceInstance, c *device.RunCommit, envelopeHash string) (terminalEventID string, replayed bool, err error)
	PutBlob(ctx context.Context, src *storage.SourceInstance, sha256, mediaType string, data []byte) error
}
