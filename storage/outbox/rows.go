package outbox

import "github.com/uptrace/bun"

// The rows of a lane. Conventions as in models.go.

type laneRow struct {
	bun.BaseModel `bun:"table:lanes"`

	ID               int64  `bun:"id,pk"`
	SourceInstanceID string `bun:"source_instance_id"`
	ConnectorID      string `bun:"connector_id"`
	BatchSeq         int64  `bun:"batch_seq"`
	BatchesDelivered int64  `bun:"batches_delivered"`
	BatchesUnknown   int64  `bun:"batches_unknown"`
	LastAckUS        int64  `bun:"last_ack_us"`
	LastCheckpointUS int64  `bun:"last_checkpoint_us"`
	StateUS          int64  `bun:"state_us"`
}

// Row is one delivery in the queue.
type Row struct {
	bun.BaseModel `bun:"table:outbox"`

	Seq            int64  `bun:"seq,pk,autoincrement"`
	ID             string `bun:"id"`
	Kind           string `bun:"kind"`
	Status         string `bun:"status"`
	UnitID         string `bun:"unit_id"`
	RunID          string `bun:"run_id"`
	Subject        string `bun:"subject"` // what a gap is about
	Says           string `bun:"says"`    // what became of it
	MediaType      string `bun:"media_type"`
	BodyHash       string `bun:"body_hash"`
	Indexed        bool   `bun:"indexed"` // its streams are in outbox_streams
	AttemptCount   int64  `bun:"attempt_count"`
	NextAttemptUS  int64  `bun:"next_attempt_us"`
	LeaseHolder    string `bun:"lease_holder"`
	LeaseEpoch     int64  `bun:"lease_epoch"`
	LeaseUntilUS   int64  `bun:"lease_until_us"`
	ErrorClass     string `bun:"error_class"`
	LastError      string `bun:"last_error"`
	AcknowledgedUS int64  `bun:"acknowledged_us"`
	CreatedUS      int64  `bun:"created_us"`
	UpdatedUS      int64  `bun:"updated_us"`
}

// PayloadRow is the body of a delivery.
type PayloadRow struct {
	bun.BaseModel `bun:"table:outbox_payloads"`

	Seq     int64  `bun:"seq,pk"`
	Payload []byte `bun:"payload"`
}

// undelivered are the rows that are not acknowledged. The words are those of
// their index, which answers only for a query that says them.
const undelivered = "status <> 'succeeded'"

type outboxStreamRow struct {
	bun.BaseModel `bun:"table:outbox_streams"`

	Seq    int64  `bun:"seq,pk"`
	Stream string `bun:"stream,pk"`
}

type confirmedStateRow struct {
	bun.BaseModel `bun:"table:confirmed_states"`

	Stream   string `bun:"stream,pk"`
	Cursor   string `bun:"cursor"`
	RunID    string `bun:"run_id"`
	AtUS     int64  `bun:"at_us"`
	Boundary string `bun:"boundary"` // that the run kept to which brought the cursor; "": not known
}

type unitRow struct {
	bun.BaseModel `bun:"table:work_units"`

	ID            string `bun:"id,pk"`
	Stream        string `bun:"stream"`
	Boundary      string `bun:"boundary"`
	Status        string `bun:"status"`
	Closed        bool   `bun:"closed"`
	RunID         string `bun:"run_id"`
	AttemptCount  int64  `bun:"attempt_count"`
	LastAttemptUS int64  `bun:"last_attempt_us"`
	Reason        string `bun:"reason"`
	Retryable     bool   `bun:"retryable"`
	LastError     string `bun:"last_error"`
	CreatedUS     int64  `bun:"created_us"`
}
