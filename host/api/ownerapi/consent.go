package ownerapi

import (
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/grant"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
)

// The paths at which a program of the owner's decides, as the protocol names them (RD-42,
// RD-43). They take a token of the owner's alone: no browser sends one by itself.
const (
	pathReview  = "/consent/review"
	pathApprove = "/consent/approve"
	pathDeny    = "/consent/deny"
	pathClient  = "/oauth/register/{client}"
)

// Elsewhere are the paths outside of Prefix, for who puts the faces together.
var Elsewhere = []string{PathDocument, pathReview, pathApprove, pathDeny, pathClient}

// consents are the answers of these paths to what cannot be decided.
var consents = map[abi.Code]wire.Failure{
	grants.CodeNoSuch:      {Status: http.StatusBadRequest, Code: wire.CodeInvalid, Param: "request_uri"},
	grants.CodeExpired:     {Status: http.StatusBadRequest, Code: "expired_token"},
	grants.CodeChoice:      {Status: http.StatusBadRequest, Code: wire.CodeInvalid, Param: "selections"},
	grants.CodeDetails:     {Status: http.StatusBadRequest, Code: "invalid_authorization_details"},
	grants.CodeNobodyWaits: {Status: http.StatusBadRequest, Code: wire.CodeInvalid, Param: "request_uri"},
	grants.CodeNeeded:      {Status: http.StatusBadRequest, Code: wire.CodeInvalid, Param: "request_uri"},
	grants.CodeConflict:    {Status: http.StatusConflict, Code: "declaration_conflict"},
	grants.CodeApproval:    {Status: http.StatusConflict, Code: "approval_conflict"},
	grants.CodeDecided:     {Status: http.StatusConflict, Code: "approval_conflict"},
}

// consent is a route of a decision.
func consent[In, Out any](path, operation, summary string, do func(*call, *In) (Out, error)) route {
	return with(send(http.MethodPost, "", manage, operation, summary, http.StatusOK, func(c *call, in *In) (Out, error) {
		out, err := do(c, in)
		if f, known := consents[abi.CodeOf(err)]; known {
			told := refusalOf(err)
			f.Message, f.Hint, err = told.Message, told.Hint, &f
		}
		return out, err
	}), func(r *route) { r.path = path })
}

// reviewing asks what an approval would give.
type reviewing struct {
	URI        string     `json:"request_uri"`
	Subject    string     `json:"subject_id,omitempty"`
	Selections selections `json:"selections,omitzero"`
	AITraining bool       `json:"ai_training_consented,omitempty"`
}

// selections are what the owner decides beyond what is asked.
type selections struct {
	Streams   []grant.Choice      `json:"streams,omitempty"` // of an open request, or with fewer fields
	Optional  []string            `json:"optional_streams,omitempty"`
	Instances map[string][]string `json:"instance_ids,omitempty"`
	Since     *time.Time          `json:"since,omitempty"`
	Until     *time.Time          `json:"until,omitempty"`
	Expires   string              `json:"expires_at,omitempty"` // never, 1d, 30d, 90d or a date
}

type consentReview struct {
	URI      string        `json:"request_uri"`
	Revision string        `json:"approval_review_revision"`
	Batch    bool          `json:"batch"` // never
	Review   *grant.Review `json:"approval_review"`
}

func (c *call) reviewConsent(in *reviewing) (*consentReview, error) {
	if in.Subject != "" && in.Subject != grant.Subject {
		return nil, wire.Invalid("subject_id", "is not "+grant.Subject)
	}
	id, err := grants.Find(c.Context(), c.owner, in.URI)
	if err != nil {
		return nil, err
	}
	s := &in.Selections
	r, err := grants.Review(c.Context(), c.owner, id, grant.Choices{
		Streams: s.Streams, Optional: s.Optional, Instances: s.Instances, Since: s.Since, Until: s.Until, Expires: s.Expires, AITraining: in.AITraining,
	})
	if err != nil {
		return nil, err
	}
	return &consentReview{URI: in.URI, Revision: r.Revision, Review: r.Review}, nil
}

// consenting decides for a review: who it is about and what was chosen belong to the review,
// and not here (RD-43.2).
type consenting struct {
	URI      string `json:"request_uri"`
	Revision string `json:"approval_review_revision"`
}

type consented struct {
	Grant   *grant.Document `json:"grant,omitempty"`
	GrantID string          `json:"grant_id"`
	Token   string          `json:"token,omitempty"`       // "": the app that waits gets its own
	Back    string          `json:"redirect_to,omitempty"` // where the owner's browser brings the app its code
}

func (c *call) approveConsent(in *consenting) (*consented, error) {
	id, err := grants.Find(c.Context(), c.owner, in.URI)
	if err != nil {
		return nil, err
	}
	made, err := grants.Approve(c.Context(), c.owner, grants.Approval{RequestID: id, Revision: in.Revision, Shows: true})
	if err != nil {
		return nil, err
	}
	out := &consented{GrantID: made.GrantID, Token: made.Token, Back: made.Back}
	if g, err := grants.Show(c.Context(), c.owner, made.GrantID); err == nil { // else the token is told all the same: it is nowhere else
		out.Grant = g.Document
	}
	return out, nil
}

// denying refuses a request.
type denying struct {
	URI string `json:"request_uri"`
}

func (c *call) denyConsent(in *denying) (*denied, error) {
	id, err := grants.Find(c.Context(), c.owner, in.URI)
	if err != nil {
		return nil, err
	}
	back, err := grants.Refuse(c.Context(), c.owner, id)
	return &denied{ended{id}, back}, err
}

// noContent is a route whose success has no body.
func noContent(path string) func(*route) {
	return func(r *route) { r.path, r.status, r.out = path, http.StatusNoContent, nil }
}
