package records

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// route is one kind of path, read by GET; deletion is beside them.
type route struct {
	wire.Route

	answer func(*call) (any, error)  // with JSON
	send   func(*call, *route) error // with something else; nil: there is answer
	costly bool                      // it may look at every record
}

// table has every route: what answers, and what the document of the API describes.
var table = []route{
	one[wire.List[stream]]("/v1/streams", "The streams of a page of the connections that the token shows", (*call).streams, paged()...),
	one[metadata]("/v1/streams/{stream}", "What is declared of a stream, as far as the token shows it", (*call).describe, of()...),
	one[page]("/v1/streams/{stream}/records", "A page of a stream, or of what has changed in it", (*call).records, of(
		limitOf(read.MostLimit), cursor, text("order", "asc or desc"), text("sort", "the stream's cursor field, or emitted_at by an owner's token; with - before it for descending"), fields,
		text("changes_since", "beginning, or next_changes_since of an answer"), text("count", "none, estimated or exact"), words("window", "how many records there are, and of which times", []string{"exact"}),
		text("view", "the fields of a view; an owner's token"), filterOf, expandOf, expandMost)...),
	one[single](deletion.Path, "One record", (*call).one, of(fields, expandOf, expandMost)...),
	one[fieldWindow]("/v1/streams/{stream}/records/{record}/field-window", "A part of one text of a record", (*call).window, of(
		needed(text("field", "a field of the record")), number("offset_chars", "where the part begins", 0, mostOffset), number("limit_chars", "how long it is", 1, mostOffset), text("cursor", "the offset, by another name"),
		text("q", "a text whose first place is shown"), number("before_chars", "characters before it", 0, read.MostContext), number("after_chars", "characters behind it", 0, read.MostContext))...),
	with(costly, one[aggregation]("/v1/streams/{stream}/aggregate", "What the records of a stream come to", (*call).aggregate, of(
		needed(words("metric", "what is computed", read.Metrics)), text("field", "what it is of"), text("group_by", "a field"), text("group_by_time", "a field with a time"),
		words("granularity", "the spans of group_by_time", read.Granularities), text("time_zone", "of the spans, as IANA names it"), limitOf(read.MostGroups), filterOf)...)),
	with(costly, one[found]("/v1/search", "The records that match words, the best ones first", (*call).search,
		needed(text("q", "words, \"phrases\", and behind the last word a *")), list("streams", "of these streams alone"), limitOf(read.MostLimit), cursor, filterOf, connectionID, oldName)),
	{Route: wire.Route{
		Method: http.MethodGet, Path: "/v1/blobs/{blob_id}", Summary: "The bytes that a record's blob_ref refers to", Scope: string(access.ScopeRead), Tagged: true,
		Params:  of(head("Range", "one range of bytes"), head("If-Range", "the ETag that the range is of"), known),
		Answers: []wire.Answer{{Status: http.StatusOK, Media: anyMedia}, {Status: http.StatusPartialContent, Media: anyMedia}, {Status: http.StatusNotModified}},
	}, send: (*call).sendBlob},
	one[wire.List[connectorOverview]]("/v1/connectors", "The connectors of a page of the connections that the token shows, by connector, with their streams", (*call).connectors, paged()...),
	one[wire.List[connectionState]]("/v1/connections", "How the connections are that the token shows", (*call).connections, paged()...),
	with(tagged, one[schema]("/v1/schema", "What is declared of everything that the token shows", (*call).schema, of(
		words("view", "compact leaves the schemas out", []string{"compact"}), words("detail", "compact or full; full is of one stream", []string{"compact", "full"}), text("stream", "of this stream alone"))...)),
}

// Routes describes what is answered here.
func Routes() []wire.Route {
	all := make([]wire.Route, len(table), len(table)+1)
	for i := range table {
		all[i] = table[i].Route
	}
	return append(all, deletion)
}

func one[Out any](path, summary string, answer func(*call) (any, error), params ...wire.Param) route {
	return route{Route: wire.Route{Method: http.MethodGet, Path: path, Summary: summary, Scope: string(access.ScopeRead), Params: params, Answers: wire.OK[Out]()}, answer: answer}
}

func with(change func(*route), r route) route {
	change(&r)
	return r
}

// known is the ETag of an answer that the reader has.
var known = head("If-None-Match", "the ETag that is known")

func tagged(r *route) {
	r.Tagged = true
	r.Params = append(r.Params, known)
	r.Answers = append(r.Answers, wire.Answer{Status: http.StatusNotModified})
}
func costly(r *route) { r.costly = true }

// anyMedia are the media types of what is read as it was collected.
const anyMedia = "*/*"

// The parameters that several routes have.
var (
	byName       = map[string]any{"type": "object", "additionalProperties": map[string]any{}} // without the second, a generator allows no member
	filterOf     = wire.Param{Name: "filter", About: "filter[f]=v, or filter[f][gte]=v; an owner's token", Schema: byName, Deep: true}
	expandOf     = list("expand", "relations whose records come along; an owner's token")
	expandMost   = wire.Param{Name: "expand_limit", About: "expand_limit[r]=n, of a relation to many; an owner's token", Schema: byName, Deep: true}
	connectionID = text("connection_id", "of this connection alone")
	oldName      = text("connector_instance_id", "connection_id by its old name")
	connector    = text("connector_id", "of this connector alone, by its key; an owner's token")
	subjectID    = words("subject_id", "whose data it is", []string{subject})
	fields       = list("fields", "these fields alone")
	cursor       = text("cursor", "next_cursor of the page before")
)

// of adds the parameters that say whose records are asked for.
func of(params ...wire.Param) []wire.Param {
	return append(params, connectionID, oldName, connector, subjectID)
}

func text(name, about string) wire.Param {
	return wire.Param{Name: name, About: about, Schema: map[string]any{"type": "string", "minLength": 1}}
}

func head(name, about string) wire.Param {
	return wire.Param{Name: name, About: about, Header: true, Schema: map[string]any{"type": "string"}}
}

func words(name, about string, all []string) wire.Param {
	return wire.Param{Name: name, About: about, Schema: map[string]any{"type": "string", "enum": all}}
}

func list(name, about string) wire.Param {
	return wire.Param{Name: name, About: about, Schema: map[string]any{"type": "array", "items": map[string]any{"type": "string", "minLength": 1}}}
}

func number(name, about string, least, most int) wire.Param {
	return wire.Param{Name: name, About: about, Schema: map[string]any{"type": "integer", "minimum": least, "maximum": most}}
}

func limitOf(most int) wire.Param { return number("limit", "how many rows come at once", 1, most) }

func needed(p wire.Param) wire.Param {
	p.Required = true
	return p
}
