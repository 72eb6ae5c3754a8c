package storage

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/access"
	"github.com/pdpp-host/pdpp-host/storage/connection"
	"github.com/pdpp-host/pdpp-host/storage/credential"
	devices "github.com/pdpp-host/pdpp-host/storage/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/notice"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
	"github.com/pdpp-host/pdpp-host/storage/question"
	"github.com/pdpp-host/pdpp-host/storage/record"
)

// Words and values that several rooms share.
const (
	BookmarkIncremental = tables.BookmarkIncremental
	BookmarkBackfill    = tables.BookmarkBackfill
	StatusRunning       = tables.StatusRunning
	StatusAbandoned     = tables.StatusAbandoned
	GapPending          = tables.GapPending
	GapInProgress       = tables.GapInProgress
	GapRecovered        = tables.GapRecovered
	GapTerminal         = tables.GapTerminal
	AcceptVariable      = tables.AcceptVariable
	AcceptFolder        = tables.AcceptFolder
	AcceptSlot          = tables.AcceptSlot

	CoverageNotShown = evidence.CoverageNotShown
)

// The owner, sessions and tokens: see storage/access.
const (
	CodeLinkInvalid = access.CodeLinkInvalid
	CodeSignedOut   = access.CodeSignedOut

	CodePasskeyUnknown = access.CodePasskeyUnknown
	CodePasskeyKnown   = access.CodePasskeyKnown
	CodePasskeyLast    = access.CodePasskeyLast
	CodePasskeyCopied  = access.CodePasskeyCopied
	CodePasskeysFull   = access.CodePasskeysFull
	UsedEvery          = access.UsedEvery
	RepeatWithin       = access.RepeatWithin
)

// Requests for grants, and grants: see storage/access.
const (
	CodeClientsFull      = access.CodeClientsFull
	CodeRequestUnknown   = access.CodeRequestUnknown
	CodeRequestExpired   = access.CodeRequestExpired
	CodeRequestDecided   = access.CodeRequestDecided
	CodeRequestsFull     = access.CodeRequestsFull
	CodeRequestWaited    = access.CodeRequestWaited
	CodeRequestReviewed  = access.CodeRequestReviewed
	CodeApprovalConflict = access.CodeApprovalConflict
	CodeNobodyWaits      = access.CodeNobodyWaits
	CodeRedeemRefused    = access.CodeRedeemRefused
	CodeReplayed         = access.CodeReplayed
	CodeUserCode         = access.CodeUserCode
	CodeUserCodes        = access.CodeUserCodes
	CodeUserCodeNeeded   = access.CodeUserCodeNeeded
	CodeGrantUnknown     = access.CodeGrantUnknown

	ScopeIntrospect = access.ScopeIntrospect

	RequestPending   = access.RequestPending
	RequestApproved  = access.RequestApproved
	RequestDenied    = access.RequestDenied
	RequestByID      = access.RequestByID
	RequestByURI     = access.RequestByURI
	RequestByPolling = access.RequestByPolling
	RequestByCode    = access.RequestByCode

	FlowCode   = access.FlowCode
	FlowDevice = access.FlowDevice
	FlowOwner  = access.FlowOwner

	ResourceHost = access.ResourceHost
	ResourceMCP  = access.ResourceMCP

	FromOwner = access.FromOwner
)

// Connections: see storage/connection.
const (
	CodeEdited = connection.CodeEdited
)

// Sealed credentials: see storage/credential.
const (
	CodeCredentialChanged = credential.CodeCredentialChanged
)

// RefusesWrites reports whether err says that the store takes no writes, whoever asks: its disk is
// full, or it cannot be written to.
func RefusesWrites(err error) bool {
	code := abi.CodeOf(err)
	return code == abi.CodeStoreFull || code == abi.CodeStoreUnavailable
}

// Why an enumeration swept nothing: see storage/record.
const (
	SweepAnswers        = record.SweepAnswers
	SweepLost           = record.SweepLost
	SweepNarrowed       = record.SweepNarrowed
	SweepRejected       = record.SweepRejected
	MaxListedRejections = record.MaxListedRejections
	SweepTooMany        = record.SweepTooMany
	SweepUnnamed        = record.SweepUnnamed
)

// Questions of runs to their owners: see storage/question.
const (
	QuestionOpen         = question.Open
	QuestionAnswered     = question.Answered
	QuestionDeclined     = question.Declined
	QuestionTimedOut     = question.TimedOut
	QuestionLost         = question.Lost
	CodeQuestionUnknown  = question.CodeUnknown
	CodeQuestionAnswered = question.CodeAnswered
	CodeQuestionClosed   = question.CodeClosed
)

// SignedInByHand is the action of a confirmation: see storage/connection.
const SignedInByHand = connection.SignedInByHand

// Notices to owners: see storage/notice.
const (
	CodeChannelUnknown = notice.CodeChannelUnknown
)

// Devices on other machines and what they deliver: see storage/device.
const (
	MaxBlobBytes  = devices.MaxBlobBytes
	BlobPartBytes = devices.BlobPartBytes
)

// A collector's outbox: see storage/outbox.
const (
	MaxOpenWork          = outbox.MaxOpenWork
	CodeLaneMissing      = outbox.CodeLaneMissing
	CodeLaneMismatch     = outbox.CodeLaneMismatch
	CodeLeaseNotCurrent  = outbox.CodeLeaseNotCurrent
	CodeOutboxCollision  = outbox.CodeOutboxCollision
	CodeKeepRefused      = outbox.CodeKeepRefused
	KindRecordBatch      = outbox.KindRecordBatch
	KindCheckpoint       = outbox.KindCheckpoint
	KindGap              = outbox.KindGap
	KindBlobUpload       = outbox.KindBlobUpload
	KindRunCommit        = outbox.KindRunCommit
	OutboxReady          = outbox.Ready
	OutboxLeased         = outbox.Leased
	OutboxSucceeded      = outbox.Succeeded
	OutboxDeadLetter     = outbox.DeadLetter
	LaneDeadLetter       = outbox.LaneDeadLetter
	LaneStaleLease       = outbox.LaneStaleLease
	LaneDraining         = outbox.LaneDraining
	LaneRetryableBacklog = outbox.LaneRetryableBacklog
	LaneCoverageMissing  = outbox.LaneCoverageMissing
	LaneHealthyIdle      = outbox.LaneHealthyIdle
	UnitRunning          = outbox.UnitRunning
	UnitComplete         = outbox.UnitComplete
	UnitBacklog          = outbox.UnitBacklog
	UnitGap              = outbox.UnitGap
	UnitDead             = outbox.UnitDead
	UnknownWord          = outbox.UnknownWord
)
