package mcp

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

// The schemes of what a host may read by itself.
const (
	streamScheme = "pdpp://stream/"
	recordScheme = "pdpp://record/"
	windowScheme = "pdpp://field-window/"
)

// handle names a record, or a field of one.
type handle struct {
	Version    int    `json:"v"` // 1
	Kind       string `json:"kind"`
	Connection string `json:"connection_id"`
	Stream     string `json:"stream"`
	Record     string `json:"record_id"`
	Field      string `json:"field_path,omitempty"`
	Offset     int    `json:"offset_chars,omitempty"`
}

// The kinds of a handle.
const (
	kindRecord = "record"
	kindWindow = "field-window"
)

// plain are names that read as nothing else: neither as another id nor as a sentence.
var plain = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// idOf returns the id of a record. One whose names are not plain is packed (RD-59.2): ids stand
// among what the host says, and a stranger may have chosen the key.
func idOf(connection, stream, record string) string {
	if !plain.MatchString(stream) || !plain.MatchString(record) || strings.Contains(record, "..") {
		return recordScheme + pack(handle{Version: 1, Kind: kindRecord, Connection: connection, Stream: stream, Record: record})
	}
	return connection + "/" + stream + ":" + record
}

func pack(h handle) string {
	b, err := json.Marshal(h)
	if err != nil { // of texts and numbers, it never is
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// readID reads the id of a record. The short form of other hosts, stream:record_id, names no connection.
func readID(id string) (*handle, error) {
	if packed, ok := strings.CutPrefix(id, recordScheme); ok {
		return unpack(packed, kindRecord)
	}
	stream, record, both := strings.Cut(id, ":")
	connection, after, long := strings.Cut(stream, "/")
	if long {
		stream = after
	} else {
		connection = ""
	}
	if !both || long && connection == "" || stream == "" || record == "" {
		return nil, badID()
	}
	return &handle{Connection: connection, Stream: stream, Record: record}, nil
}

func unpack(packed, kind string) (*handle, error) {
	h := new(handle)
	b, err := base64.RawURLEncoding.Strict().DecodeString(packed)
	if err != nil || wire.Decode(b, h) != nil || h.Version != 1 || h.Kind != kind || h.Connection == "" || h.Stream == "" || h.Record == "" {
		return nil, badID()
	}
	return h, nil
}

func badID() error { return wire.Invalid("id", "is none that a tool here has given") }

// window is the query of a part of a text.
func (h *handle) window() url.Values {
	v := url.Values{"connection_id": {h.Connection}, "field": {h.Field}}
	if h.Offset > 0 {
		v.Set("offset_chars", strconv.Itoa(h.Offset))
	}
	return v
}
