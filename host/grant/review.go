package grant

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Subject is the one person whose host this is.
const Subject = "owner_local"

// Choices are what an owner decides of a request. The zero value gives what is required, for
// the usual time.
type Choices struct {
	Connector string   `json:"connector,omitempty"` // of an open request, by its key
	Streams   []Choice `json:"streams,omitempty"`   // nil: those that the client requires
	// Optional are given beside those that the client requires.
	Optional []string `json:"optional_streams,omitempty"`
	// Instances are the connections of single streams, in the place of Connections.
	Instances   map[string][]string `json:"instance_ids,omitempty"`
	Connections []string            `json:"connections,omitempty"` // by id or name; nil: the only one
	Since       *time.Time          `json:"since,omitempty"`
	Until       *time.Time          `json:"until,omitempty"`
	Expires     string              `json:"expires,omitempty"` // never, 1d, 30d, 90d or a date; "": the usual
	AITraining  bool                `json:"ai_training_consented,omitempty"`
}

// Choice is a stream that an owner gives.
type Choice struct {
	Name   string   `json:"name"`
	Fields []string `json:"fields,omitempty"` // nil: all that are asked for
}

// Request is what a client asks for, and who it says it is.
type Request struct {
	ClientID, ClientName string
	Registration         string   // how the client came to be known
	Details              *Details // nil: its owner chooses
}

// The ways in which a client comes to be known.
const (
	Dynamic       = "dynamic"
	PreRegistered = "pre_registered_public"
)

// ReviewVersion names the form of a Review.
const ReviewVersion = "reference.approval-review.v1"

// Review is all that an approval would give (RD-42).
type Review struct {
	Version             string            `json:"version"`
	Subject             SubjectID         `json:"subject"`
	Client              ReviewClient      `json:"client"`
	Source              Source            `json:"source"`
	Declaration         ReviewDeclaration `json:"source_declaration"`
	PurposeCode         string            `json:"purpose_code"`
	PurposeDescription  *string           `json:"purpose_description"`
	AccessMode          string            `json:"access_mode"`
	Streams             []Stream          `json:"resolved_streams"`
	SelectionPreset     *string           `json:"selection_preset"`
	Retention           *Retention        `json:"retention"`
	ClientClaims        *Claims           `json:"client_claims"`
	ExpiresAt           *time.Time        `json:"expires_at"`
	AITrainingConsented *bool             `json:"ai_training_consented"`
}

// SubjectID names whose data it is.
type SubjectID struct {
	ID string `json:"id"`
}

// ReviewClient is the client as its owner is told of it.
type ReviewClient struct {
	ID               string  `json:"client_id"`
	Display          *string `json:"client_display"`
	RegistrationMode string  `json:"registration_mode"`
}

// ReviewDeclaration is what a review was read by.
type ReviewDeclaration struct {
	Version string `json:"version"`
	Digest  string `json:"digest"`
}

// openPurpose is what an open request is for: the client has not said.
const openPurpose = "https://pdpp.dev/purpose/owner_directed"

// Revision names a review by what it holds: another choice makes another one (RD-42.2).
func (r *Review) Revision() string {
	text, err := json.Marshal(r)
	if err != nil { // of strings and times, it never is
		return ""
	}
	return Hash(text)
}

// Resolve makes of a request and its owner's choices what an approval would give, by one
// declaration. An owner gives less than was asked for, or as much, and never more. Errors:
// Invalid, grants.invalid_choice, grants.declaration_conflict.
func Resolve(q *Request, c *Choices, have []Declared, now time.Time) (*Review, *Declared, error) {
	sources, err := q.sources(c, have)
	if err != nil {
		return nil, nil, err
	}
	streams, by, err := q.streams(c, sources)
	if err != nil {
		return nil, nil, err
	}
	r := &Review{
		Version: ReviewVersion, Subject: SubjectID{Subject}, Client: ReviewClient{ID: q.ClientID, Display: text(q.ClientName), RegistrationMode: q.Registration},
		Source: Source{"connector", by.ID}, Declaration: ReviewDeclaration{by.Version + "+" + by.Digest[:16], by.Digest},
		PurposeCode: openPurpose, AccessMode: Continuous, Streams: streams,
	}
	if d := q.Details; d != nil {
		r.PurposeCode, r.PurposeDescription, r.AccessMode = d.PurposeCode, text(d.PurposeDescription), d.AccessMode
		r.SelectionPreset, r.Retention, r.ClientClaims = text(d.SelectionPreset), d.Retention, d.ClientClaims
	}
	if Trains(r.PurposeCode) {
		r.AITrainingConsented = &c.AITraining
	} else if c.AITraining {
		return nil, nil, wrongChoice("the app does not ask to train models", "leave that out")
	}
	if r.ExpiresAt, err = expiry(c.Expires, r.AccessMode, now); err != nil {
		return nil, nil, err
	}
	return r, by, nil
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// sources are the declarations of the source that a request is about.
func (q *Request) sources(c *Choices, have []Declared) ([]Declared, error) {
	if q.Details != nil {
		if c.Connector != "" {
			return nil, wrongChoice("the app names its source itself", "leave the connector out")
		}
		if err := Check(q.Details, have); err != nil {
			return nil, err
		}
		return sourcesOf(q.Details.Source.ID, have), nil
	}
	id, named := "", c.Connections
	for _, stream := range slices.Sorted(maps.Keys(c.Instances)) {
		named = append(slices.Clip(named), c.Instances[stream]...)
	}
	for i := range have {
		d := &have[i]
		if len(d.Connections) > 0 && (c.Connector != "" && abi.SameConnector(d.Key, c.Connector) || c.Connector == "" && slices.ContainsFunc(named, func(name string) bool { return d.connection(name) != nil })) {
			id = d.ID
			break
		}
	}
	if id == "" && c.Connector == "" && len(named) > 0 {
		return nil, wrongChoice("none of the connections that are chosen is there with a connector that you have accepted", "`pdpp-host connections list` shows the ones there are; run one once to accept its connector")
	}
	if id == "" {
		return nil, wrongChoice("the app leaves it to you what it gets, and no connection is chosen", "choose a connection, and the streams of it")
	}
	return sourcesOf(id, have), nil
}

// streams are those that are given, resolved by the one declaration of all their connections.
func (q *Request) streams(c *Choices, sources []Declared) ([]Stream, *Declared, error) {
	var err error
	for i := range sources {
		by := &sources[i]
		var given []wanted
		if given, err = q.given(c, by); err != nil {
			continue
		}
		var all []Stream
		if all, err = settle(given, c, sources, by); err == nil {
			return all, by, nil
		}
	}
	return nil, nil, err
}

// names are the streams that a choice is about.
func (c *Choices) names() []string {
	all := slices.AppendSeq(slices.Clone(c.Optional), maps.Keys(c.Instances))
	for i := range c.Streams {
		all = append(all, c.Streams[i].Name)
	}
	return all
}

// given are the streams of a request that its owner gives.
func (q *Request) given(c *Choices, by *Declared) ([]wanted, error) {
	asked, err := q.asked(by)
	if err != nil {
		return nil, err
	}
	for _, name := range c.names() {
		if !slices.ContainsFunc(asked, func(w wanted) bool { return w.Name == name }) {
			return nil, wrongChoice("a stream is chosen that is not there, or not asked for", "choose of those that the request shows")
		}
	}
	var given []wanted
	for _, w := range asked {
		n := slices.IndexFunc(c.Streams, func(choice Choice) bool { return choice.Name == w.Name })
		switch {
		case n >= 0:
			if err := w.narrow(c.Streams[n].Fields); err != nil {
				return nil, err
			}
		case w.optional && !slices.Contains(c.Optional, w.Name):
			continue
		case c.Streams != nil && !w.optional:
			return nil, wrongChoice("the app needs the stream "+w.Name, "give it as well, or refuse the request")
		}
		given = append(given, w)
	}
	if len(given) == 0 {
		return nil, wrongChoice("no stream is chosen", "choose one, or refuse the request") // RD-42.5
	}
	return given, nil
}

// asked are the streams that an owner can give. Of an open request nothing is preselected.
func (q *Request) asked(by *Declared) (all []wanted, err error) {
	if q.Details != nil {
		return q.Details.want(by)
	}
	for i := range by.Streams {
		if s := &by.Streams[i]; len(s.Fields) > 0 {
			all = append(all, wanted{Stream{Name: s.Name, Fields: allFields(s)}, true, s})
		}
	}
	return all, nil
}

// narrow leaves the fields of a list, and those that every record must have.
func (w *wanted) narrow(fields []string) error {
	if fields == nil {
		return nil
	}
	for _, name := range fields {
		if !slices.Contains(w.Fields, name) {
			return wrongChoice(fmt.Sprintf("the field %q of %s is not there, or not asked for", name, w.Name), "choose of those that the request shows")
		}
	}
	if w.Fields = chosenFields(w.declared, fields); len(w.Fields) == 0 {
		return wrongChoice("no field of "+w.Name+" is chosen", "choose one, or leave the stream out")
	}
	return nil
}

// settle gives each stream its connections and its time.
func settle(given []wanted, c *Choices, sources []Declared, by *Declared) ([]Stream, error) {
	var all []Stream
	for i := range given {
		w := &given[i]
		chosen := c.Connections
		if own, has := c.Instances[w.Name]; has {
			chosen = own
		}
		ids, err := instances(w.InstanceIDs, chosen, sources)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if by.connection(id) == nil {
				return nil, abi.NewError(CodeConflict, "the chosen connections have different modules", "accept the same module for each, or choose one connection")
			}
		}
		w.InstanceIDs = ids
		if err := w.within(c.Since, c.Until); err != nil {
			return nil, err
		}
		all = append(all, w.Stream)
	}
	return all, nil
}

// instances are the connections of a stream: those asked for, of these the chosen ones; where
// neither says so, the only one there is. Never all of several (RD-32.4).
func instances(asked, chosen []string, sources []Declared) ([]string, error) {
	var ids, there []string
	for i := range sources {
		for _, conn := range sources[i].Connections {
			there = append(there, conn.ID)
		}
	}
	for _, name := range chosen {
		n := slices.IndexFunc(sources, func(d Declared) bool { return d.connection(name) != nil })
		if n < 0 {
			return nil, wrongChoice("a connection is chosen that the source does not have", "choose of those that the request shows")
		}
		if id := sources[n].connection(name).ID; asked == nil || slices.Contains(asked, id) {
			ids = append(ids, id)
		}
	}
	switch {
	case chosen != nil && len(ids) == 0:
		return nil, wrongChoice("none of the connections that the app asks for is chosen", "choose of those that the request shows, or refuse it")
	case chosen == nil && asked != nil:
		ids = slices.Clone(asked)
	case chosen == nil && len(there) == 1:
		ids = there
	case chosen == nil:
		return nil, wrongChoice("the source has several connections, and none is chosen", "choose which of them the app may read")
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// within narrows the time of a stream's records.
func (w *wanted) within(since, until *time.Time) error {
	if since == nil && until == nil {
		return nil
	}
	if !written(since) || !written(until) {
		return wrongChoice("a time "+unwritten, "choose another time")
	}
	if !hasTime(w.declared) {
		return wrongChoice("the records of "+w.Name+" have no time of their own", "leave the times out, or the stream")
	}
	t := TimeConstraint{Field: w.declared.ConsentTimeField}
	if w.TimeConstraint != nil {
		t = *w.TimeConstraint
	}
	if since != nil && (t.Since == nil || since.After(*t.Since)) {
		t.Since = since
	}
	if until != nil && (t.Until == nil || until.Before(*t.Until)) {
		t.Until = until
	}
	if t.Since != nil && t.Until != nil && !t.Since.Before(*t.Until) {
		return wrongChoice("no time is left between the two that are chosen", "choose other times")
	}
	w.TimeConstraint = &t
	return nil
}

// The times that a grant holds, by the word of a choice.
var spans = map[string]time.Duration{"1d": 24 * time.Hour, "30d": 30 * 24 * time.Hour, "90d": 90 * 24 * time.Hour}

// Never is the choice of a grant without an end.
const Never = "never"

// expiry is when a grant ends; nil: never (RD-36.1).
func expiry(choice, mode string, now time.Time) (*time.Time, error) {
	if choice == "" {
		choice = map[string]string{SingleUse: "1d", Continuous: "30d"}[mode]
	}
	if choice == Never {
		return nil, nil //nolint:nilnil // it has no end
	}
	end := now.UTC().Truncate(time.Second)
	if span, known := spans[choice]; known {
		end = end.Add(span)
		return &end, nil
	}
	day, err := time.Parse(time.DateOnly, choice)
	if err != nil || !day.After(now) {
		return nil, wrongChoice("the end is neither never, 1d, 30d, 90d nor a day to come", "write the day as 2026-12-31")
	}
	return &day, nil
}
