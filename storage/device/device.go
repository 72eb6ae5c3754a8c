package device

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// EnrollmentCode is a code that the owner made, as the store keeps it: its hash.
type EnrollmentCode struct {
	CodeHash    string // SHA-256, in hex
	ConnectorID string
	Binding     string    // the owner's name of what is collected there
	DisplayName string    // what the device is called unless it says so itself
	CreatedAt   time.Time // as it is read; a new one is made now
	ExpiresAt   time.Time
	// Manifest describes the records of a device that sends none; empty if its owner gave none. It is not read again.
	Manifest []byte
}

// Enrolling is a device that shows a code, and the hash of the credential that
// it is to get for it.
type Enrolling struct {
	CodeHash     string // SHA-256, in hex
	TokenHash    string // SHA-256, in hex
	Label        string
	AgentVersion string
	Scope        []byte // that the device declared, as JSON; empty: none
}

// Device is an enrolled machine. Its texts are its own, in printable characters
// and short.
type Device struct {
	ID           string
	Label        string
	AgentVersion string
	CreatedAt    time.Time
	HeardAt      time.Time // its last heartbeat; zero: none yet
	RevokedAt    time.Time // zero: it is not revoked
}

// Active reports whether the device's credential is good.
func (d *Device) Active() bool { return d.RevokedAt.IsZero() }

// SourceInstance is one source on one device: what is collected there, and the
// connection that it feeds.
type SourceInstance struct {
	ID             string
	DeviceID       string
	DeviceLabel    string
	ConnectionID   string
	ConnectionName string
	ConnectorID    string
	Binding        string
	CreatedAt      time.Time
	RevokedAt      time.Time // of its device; zero: it is active
	// ManifestSHA256 is the hash of the manifest that the source put last, in hex; "" before
	// the first.
	ManifestSHA256 string
	// HeardAt is when the last heartbeat was received, Heartbeat what it said. nil:
	// there was none, or what is kept of it cannot be read.
	HeardAt   time.Time
	Heartbeat *device.Heartbeat
	// Scope is the part of its source that the device declared at its enrolment, as
	// JSON; empty: all of it.
	Scope []byte
	// Refused is the last delivery that was refused, nil once one was taken since.
	Refused *RefusedDelivery
	// Refusals are the deliveries that hold records up: the last of each stream and code, until one of the stream is
	// taken. The last comes first.
	Refusals []RefusedDelivery
	// ReplacedAt is when the manifest that records are checked against was replaced; zero:
	// never. OfferedManifest adds streams, and waits for the owner since OfferedAt; empty:
	// there is none.
	ReplacedAt      time.Time
	OfferedAt       time.Time
	OfferedManifest []byte
	OfferedStreams  []string // that it adds
}

// RefusedDelivery is what this host would not take of a device, and why. It holds
// no value of a record.
type RefusedDelivery struct {
	At      time.Time `json:"at"`
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Stream  string    `json:"stream,omitempty"` // "": of none, or of several
}

// Active reports whether the source's device is trusted.
func (s *SourceInstance) Active() bool { return s.RevokedAt.IsZero() }

// IngestBatch is one delivery of records. Records name their streams by index
// into Streams. All have passed the boundary. Rejected says why some did not, whose keys Records has as rejected.
type IngestBatch struct {
	Source   *SourceInstance
	RunID    string
	BatchID  string
	BodyHash string
	Seq      int64
	Records  *record.Batch
	Streams  []string
	Rejected []Rejected
}

// Rejected counts the records of a delivery that were not taken for one reason. It holds no value of a record.
type Rejected struct {
	Stream string `json:"-"`
	Count  int64  `json:"count"`
	Why    string `json:"why"`
}
