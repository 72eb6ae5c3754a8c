package grant

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// Type is the one type of authorization details that is known.
const Type = "https://pdpp.dev/data-access"

// AITraining is the purpose that its owner has to allow by itself (RD-42.4).
const AITraining = "https://" + purposeHost + purposeTraining

const purposeHost, purposeTraining = "pdpp.dev", "/purpose/ai_training"

// Trains reports whether a purpose is AITraining, in whatever way its address is written: another
// spelling of it is no way around its owner's word.
func Trains(purpose string) bool {
	u, err := url.Parse(purpose)
	return err == nil && strings.EqualFold(strings.TrimSuffix(u.Hostname(), "."), purposeHost) && strings.EqualFold(path.Clean(u.Path), purposeTraining)
}

// The limits of a request (RD-31.3), and of its texts.
const (
	mostDetails     = 8
	mostStreams     = 64
	mostResources   = 1000
	mostCommitments = 64
	mostNames       = 1000 // of fields or instances of one stream
	longestText     = 500
	longestName     = 512
	mostDepth       = 32
	longestKept     = 64 << 10
)

// The access modes, and whether a stream may be left out.
const (
	SingleUse  = "single_use"
	Continuous = "continuous"
	optional   = "optional"
	every      = "*"
)

// Details are what a client asks for (RD-31).
type Details struct {
	Type               string     `json:"type"`
	Source             Source     `json:"source"`
	PurposeCode        string     `json:"purpose_code"`
	PurposeDescription string     `json:"purpose_description,omitempty"`
	AccessMode         string     `json:"access_mode"`
	Retention          *Retention `json:"retention,omitempty"`
	Streams            []Asked    `json:"streams,omitempty"`
	SelectionPreset    string     `json:"selection_preset,omitempty"`
	ClientClaims       *Claims    `json:"client_claims,omitempty"`
}

// AskedFor says of which source what is asked for, in the client's words: its streams, or its preset.
func (d *Details) AskedFor() string {
	if d.SelectionPreset != "" {
		return d.Source.ID + ", preset " + d.SelectionPreset
	}
	const most = 10
	var names []string
	for i := range d.Streams[:min(len(d.Streams), most)] {
		names = append(names, d.Streams[i].Name)
	}
	if more := len(d.Streams) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return d.Source.ID + ", streams " + strings.Join(names, ", ")
}

// Source is what a grant is about.
type Source struct {
	Kind string `json:"kind,omitempty"` // connector
	ID   string `json:"id"`             // the manifest's connector_id; of a request any of the connector's names
}

// Retention is what a client says of how long it keeps what it read. Nothing enforces it.
type Retention struct {
	MaxDuration string `json:"max_duration"` // ISO 8601
	OnExpiry    string `json:"on_expiry"`    // delete, anonymize
}

// Claims are a client's promises. Nothing enforces them.
type Claims struct {
	Commitments []string `json:"commitments,omitempty"`
}

// Asked is a stream that a client asks for.
type Asked struct {
	Name        string     `json:"name"`
	Necessity   string     `json:"necessity,omitempty"` // required, optional; "": required
	InstanceIDs []string   `json:"instance_ids,omitempty"`
	TimeRange   *TimeRange `json:"time_range,omitempty"`
	View        string     `json:"view,omitempty"`
	Fields      []string   `json:"fields,omitempty"`
	Resources   []any      `json:"resources,omitempty"` // strings, or arrays of them
}

// TimeRange bounds the records that are asked for.
type TimeRange struct {
	Since *time.Time `json:"since,omitempty"` // included
	Until *time.Time `json:"until,omitempty"` // not included
}

// ParseDetails reads the text of authorization_details strictly. Its errors are Invalid.
func ParseDetails(text []byte) (*Details, error) {
	if err := checkSyntax(text); err != nil {
		return nil, err
	}
	var all []Details
	if err := json.Unmarshal(text, &all, json.RejectUnknownMembers(true)); err != nil {
		// The decoder's message may quote a value: it stays here.
		at := ""
		if e, ok := errors.AsType[*json.SemanticError](err); ok {
			at = string(e.JSONPointer)
		}
		rule := "has the wrong form"
		if errors.Is(err, json.ErrUnknownName) {
			rule = "is no member"
		}
		return nil, &Invalid{cut(at), rule}
	}
	switch {
	case len(all) == 0:
		return nil, invalid("is an empty array")
	case len(all) > mostDetails:
		return nil, invalid("has more than 8 entries")
	}
	for i := range all {
		if err := all[i].check(i); err != nil {
			return nil, err
		}
	}
	if len(all) > 1 { // one grant has one source
		return nil, invalid("is a second source: ask for each in a request of its own", 1)
	}
	return &all[0], nil
}

// Kept is the text of details as it is kept: without the blanks that a client may have sent,
// and no longer than the most records that can be named need. Its errors are Invalid.
func Kept(text []byte) ([]byte, error) {
	kept := jsontext.Value(bytes.Clone(text))
	if err := kept.Compact(); err != nil {
		return nil, invalid("is no JSON")
	}
	if len(kept) > longestKept {
		return nil, invalid("is longer than 64 KiB")
	}
	return kept, nil
}

// checkSyntax refuses what is no JSON array, or nested too deep.
func checkSyntax(text []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if d.PeekKind() != '[' {
		return invalid("is no JSON array")
	}
	for {
		_, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return invalid("is no JSON, or has a name twice")
		case d.StackDepth() > mostDepth:
			return invalid("is nested deeper than 32")
		case d.StackDepth() == 0 && len(bytes.TrimSpace(text[d.InputOffset():])) > 0:
			return invalid("has bytes behind its end")
		}
	}
}

// cut bounds a pointer, since a client wrote its names.
func cut(at string) string {
	if len(at) > longestName {
		at = strings.ToValidUTF8(at[:longestName], "")
	}
	return at
}

var duration = regexp.MustCompile(`^P(?:\d{1,6}W|(?:\d{1,6}Y)?(?:\d{1,6}M)?(?:\d{1,6}D)?(?:T(?:\d{1,6}H)?(?:\d{1,6}M)?(?:\d{1,6}S)?)?)$`)

// check refuses details that no source could meet, the one with number n.
func (d *Details) check(n int) error {
	purpose, err := url.Parse(d.PurposeCode)
	switch {
	case d.Type != Type:
		return invalid("is not "+Type, n, "type")
	case d.Source.ID == "" || !plain(d.Source.ID, longestName):
		return invalid("is empty, too long or no plain text", n, "source", "id")
	case d.Source.Kind != "" && d.Source.Kind != "connector":
		return invalid("is not connector", n, "source", "kind")
	case strings.ContainsFunc(d.PurposeCode, func(r rune) bool { return r >= utf8.RuneSelf || r == '\\' }), // RFC 3986 has none of them
		purpose != nil && strings.HasPrefix(purpose.Scheme, "http") && purpose.Host == "":
		return invalid("is no absolute URI", n, "purpose_code")
	case err != nil || !purpose.IsAbs() || purpose.Host == "" && purpose.Opaque == "" || !plain(d.PurposeCode, longestName) || strings.Contains(d.PurposeCode, " "):
		return invalid("is no absolute URI", n, "purpose_code")
	case !plain(d.PurposeDescription, longestText):
		return invalid("is longer than 500 characters or no plain text", n, "purpose_description")
	case d.AccessMode != SingleUse && d.AccessMode != Continuous:
		return invalid("is neither single_use nor continuous", n, "access_mode")
	case d.SelectionPreset != "" && d.Streams != nil, d.SelectionPreset == "" && len(d.Streams) == 0:
		return invalid("has not exactly one of streams and selection_preset", n)
	case !plain(d.SelectionPreset, longestName):
		return invalid("is too long or no plain text", n, "selection_preset")
	}
	if err := d.checkPromises(n); err != nil {
		return err
	}
	return checkStreams(d.Streams, n)
}

// checkStreams refuses streams that no source could meet, of the details with number n.
func checkStreams(all []Asked, n int) error {
	if len(all) > mostStreams {
		return invalid("has more than 64 entries", n, "streams")
	}
	var names []string
	for i := range all {
		s := &all[i]
		if slices.Contains(names, s.Name) || s.Name == every && len(all) > 1 {
			return invalid("stands twice, or beside *", n, "streams", i, "name")
		}
		names = append(names, s.Name)
		if err := s.check(n, "streams", i); err != nil {
			return err
		}
	}
	return nil
}

// checkPromises refuses promises that cannot be shown.
func (d *Details) checkPromises(n int) error {
	if r := d.Retention; r != nil {
		switch {
		case !duration.MatchString(r.MaxDuration) || strings.HasSuffix(r.MaxDuration, "P") || strings.HasSuffix(r.MaxDuration, "T"):
			return invalid("is no duration of ISO 8601", n, "retention", "max_duration")
		case r.OnExpiry != "delete" && r.OnExpiry != "anonymize":
			return invalid("is neither delete nor anonymize", n, "retention", "on_expiry")
		}
	}
	if c := d.ClientClaims; c != nil {
		if len(c.Commitments) == 0 || len(c.Commitments) > mostCommitments {
			return invalid("is empty, or has more than 64 entries", n, "client_claims", "commitments")
		}
		for i, text := range c.Commitments {
			if text == "" || !plain(text, longestText) {
				return invalid("is empty, longer than 500 characters or no plain text", n, "client_claims", "commitments", i)
			}
		}
	}
	return nil
}

func (s *Asked) check(at ...any) error {
	in := func(name ...any) []any { return append(slices.Clone(at), name...) }
	switch {
	case s.Name == "" || !plain(s.Name, longestName):
		return invalid("is empty, too long or no plain text", in("name")...)
	case s.Necessity != "" && s.Necessity != "required" && s.Necessity != optional:
		return invalid("is neither required nor optional", in("necessity")...)
	case s.View != "" && s.Fields != nil:
		return invalid("stands beside fields", in("view")...)
	case s.Resources != nil && (len(s.Resources) == 0 || len(s.Resources) > mostResources):
		return invalid("is empty, or has more than 1000 entries", in("resources")...)
	case s.Name == every && (s.View != "" || s.Fields != nil || s.Resources != nil || s.TimeRange != nil):
		return invalid("has a part of its own, and * is every stream", in("name")...)
	}
	if n := slices.IndexFunc(s.Resources, func(one any) bool { return !isKey(one) }); n >= 0 {
		return invalid("is no key", in("resources", n)...)
	}
	for _, l := range [...]struct {
		name string
		all  []string
	}{{"instance_ids", s.InstanceIDs}, {"fields", s.Fields}} {
		if l.all != nil && (len(l.all) == 0 || len(l.all) > mostNames) {
			return invalid("is empty, or has too many entries", in(l.name)...)
		}
		for i, name := range l.all {
			if name == "" || !plain(name, longestName) || slices.Contains(l.all[:i], name) {
				return invalid("is empty, too long, no plain text, or stands twice", in(l.name, i)...)
			}
		}
	}
	if t := s.TimeRange; t != nil {
		switch {
		case t.Since == nil && t.Until == nil:
			return invalid("has neither since nor until", in("time_range")...)
		case !written(t.Since):
			return invalid(unwritten, in("time_range", "since")...)
		case !written(t.Until):
			return invalid(unwritten, in("time_range", "until")...)
		case t.Since != nil && t.Until != nil && !t.Since.Before(*t.Until):
			return invalid("is not before until", in("time_range", "since")...)
		}
	}
	return nil
}

// isKey reports whether a value is a key of some stream: a text, or an array of them.
func isKey(value any) bool {
	text, is := value.(string)
	list, _ := value.([]any)
	return is && text != "" || len(list) > 0 && !slices.ContainsFunc(list, func(part any) bool { _, is := part.(string); return !is })
}

// unwritten is the rule of a bound that would bound nothing, or cannot be written.
const unwritten = "is not within the years 1 to 9999"

// written reports whether a bound can be written, in UTC, and is none that means no bound.
func written(at *time.Time) bool {
	if at == nil {
		return true
	}
	year := at.UTC().Year()
	return !at.IsZero() && year >= 1 && year <= 9999
}

// plain reports whether text can be shown as it is: bounded, and without characters that
// move or hide others (RD-39.4).
func plain(text string, longest int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= longest &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) && !manifest.IsPiled(text)
}
