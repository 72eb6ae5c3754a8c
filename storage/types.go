package storage

import (
	"github.com/pdpp-host/pdpp-host/storage/access"
	"github.com/pdpp-host/pdpp-host/storage/connection"
	"github.com/pdpp-host/pdpp-host/storage/credential"
	devices "github.com/pdpp-host/pdpp-host/storage/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/notice"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
	"github.com/pdpp-host/pdpp-host/storage/question"
	"github.com/pdpp-host/pdpp-host/storage/read"
	"github.com/pdpp-host/pdpp-host/storage/record"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// The types of the rooms, by the names that the other packages of the host know them by.

// AcceptedItem and its neighbours are words and values that several rooms share.
type (
	AcceptedItem = tables.AcceptedItem
	Books        = tables.Books
	UnreadFile   = tables.UnreadFile
	AmissFile    = tables.AmissFile
	Amiss        = tables.Amiss
	Fields       = tables.Fields
	Connection   = tables.Connection
	RunError     = tables.RunError
	Withheld     = tables.Withheld
)

// Dispatch and its neighbours are connections, and when each of them runs: see storage/connection.
type (
	ConnectionKey  = connection.Key
	ConnectionKeys = connection.KeyQuery
	Dispatch       = connection.Dispatch
	TurnedAway     = connection.TurnedAway
	Due            = connection.Due
	Examination    = connection.Examination
	Lease          = connection.Lease
	RunEnd         = connection.RunEnd
	Schedule       = connection.Schedule
	ScheduleState  = connection.ScheduleState
	Server         = connection.Server
	Clock          = connection.Clock
)

// StoredCredential and its neighbours are sealed credentials: see storage/credential.
type (
	StoredCredential = credential.StoredCredential
)

// Checkpoint and its neighbours are runs, their cursors, gaps and events: see storage/run.
type (
	Checkpoint     = run.Checkpoint
	Coverage       = run.Coverage
	Destination    = run.Destination
	Event          = run.Event
	Gap            = run.Gap
	GapPage        = run.GapPage
	GapQuery       = run.GapQuery
	HostSink       = run.HostSink
	NewRun         = run.NewRun
	Outcome        = run.Outcome
	Pause          = run.Pause
	Pressure       = run.Pressure
	Run            = run.Run
	RunDay         = run.Day
	RunWriter      = run.Writer
	Sink           = run.Sinks
	SourcePressure = run.SourcePressure
	StateCommit    = run.StateCommit
	StreamInfo     = run.StreamInfo
)

// Batch and its neighbours are records: see storage/record.
type (
	Batch        = record.Batch
	KeyHash      = record.KeyHash
	Record       = record.Record
	Enumeration  = record.Enumeration
	Opening      = record.Opening
	RecordQuery  = record.Query
	Stream       = record.Stream
	StreamCounts = record.StreamCounts
	Sweep        = record.Sweep
	Swept        = record.Swept
	Unreadable   = record.Unreadable
)

// Evidence and its neighbours are what health rests on: see storage/evidence.
type (
	Changed        = evidence.Changed
	Choice         = evidence.Choice
	Evidence       = evidence.Evidence
	MissingRecords = evidence.MissingRecords
)

// Device and its neighbours are devices on other machines, and what they deliver: see storage/device.
type (
	Device          = devices.Device
	Enrolling       = devices.Enrolling
	EnrollmentCode  = devices.EnrollmentCode
	IngestBatch     = devices.IngestBatch
	RejectedRecords = devices.Rejected
	RefusedDelivery = devices.RefusedDelivery
	SourceInstance  = devices.SourceInstance
	StatePart       = devices.StatePart
)

// AuditEvent and its neighbours are what owners change, and who speaks for them: see storage/access.
type (
	AuditEvent = access.AuditEvent
	AuditQuery = access.AuditQuery
	Session    = access.Session
	Token      = access.Token
	Passkey    = access.Passkey

	Client       = access.Client
	GrantRequest = access.GrantRequest
	Grant        = access.Grant
	GrantToken   = access.GrantToken
	Approval     = access.Approval
	Redemption   = access.Redemption
	RefreshToken = access.RefreshToken

	Disclosure      = access.Disclosure
	Disclosed       = access.Disclosed
	DisclosureShown = access.DisclosureShown
)

// ReadEntry and its neighbours are what readers need of records besides the records: see storage/read.
type (
	ReadBlob     = read.Blob
	ReadBlobRef  = read.BlobRef
	ReadBlobUse  = read.BlobUse
	ReadBlobs    = read.BlobQuery
	ReadChange   = read.Change
	ReadDay      = read.Day
	ReadDeclared = read.Declared
	ReadDoc      = read.Doc
	ReadFeedRow  = read.FeedRow
	ReadField    = read.FieldHash
	ReadHistory  = read.History
	ReadPast     = read.Past
	ReadEntry    = read.Entry
	ReadHit      = read.Hit
	ReadLinked   = read.Linked
	ReadLinks    = read.LinkQuery
	ReadPage     = read.PageQuery
	ReadPlace    = read.Place
	ReadPosition = read.Position
	ReadRange    = read.Range
	ReadRow      = read.Row
	ReadSearch   = read.SearchQuery
	ReadSpan     = read.Span
	ReadTimes    = read.Times
	ReadStream   = read.Stream
	ReadStreams  = read.StreamQuery
	ReadTerm     = read.Term
	ReadWalk     = read.Walk
	ReadWay      = read.Way
)

// Bounds of the read state.
const (
	MostReadEntries = read.MostEntries
	MostReadFields  = read.MostFields
	NoReadDay       = read.NoDay
	MostReadAhead   = read.MostAhead
)

// The ways of a walk.
const (
	ReadNewest = read.Newest
	ReadBefore = read.Before
	ReadBegun  = read.Begun
	ReadOldest = read.Oldest
)

// Question and its neighbours are what runs ask their owners: see storage/question.
type (
	Question      = question.Question
	QuestionQuery = question.Query
)

// Channel and its neighbours are what owners are told of, and how: see storage/notice.
type (
	Channel        = notice.Channel
	Episode        = notice.Episode
	Notice         = notice.Notice
	NoticeLook     = notice.Look
	NoticeLooked   = notice.Looked
	NoticeSettings = notice.Settings
	NoticeText     = notice.Text
)

// ClaimRequest and its neighbours are a collector's outbox: see storage/outbox.
type (
	ClaimRequest = outbox.ClaimRequest
	Lane         = outbox.Lane
	LaneInfo     = outbox.LaneInfo
	OpenWork     = outbox.OpenWork
	SetAside     = outbox.SetAside
	OutboxCounts = outbox.Counts
	OutboxItem   = outbox.Item
	Pruned       = outbox.Pruned
	Refusal      = outbox.Refusal
	WorkUnit     = outbox.WorkUnit
)

// NamedIn lists what the diagnostics of a gap name, and how many of it there are in all, named or not.
func NamedIn(diagnostics []byte) (names []string, total int64) { return tables.NamedIn(diagnostics) }
