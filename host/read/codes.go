package read

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/index"
)

// Codes of reads. A message names a parameter and its rule, and never a value (RD-03.1).
const (
	CodeBehind               = index.CodeBehind // what is asked for is not indexed yet
	CodeRequest     abi.Code = "read.invalid_request"
	CodeCursor      abi.Code = "read.invalid_cursor"
	CodeSort        abi.Code = "read.invalid_sort"
	CodeField       abi.Code = "read.unknown_field"
	CodeNotGranted  abi.Code = "read.not_granted" // a stream
	CodeFieldHidden abi.Code = "read.field_not_granted"
	CodeAmbiguous   abi.Code = "read.ambiguous_connection"
	CodeBusy        abi.Code = "read.busy"
	CodeExpired     abi.Code = "read.cursor_expired" // what has changed since then is not known any more
	CodeWindow      abi.Code = "read.invalid_window"
	CodeFieldPath   abi.Code = "read.invalid_field_path"
	CodeNoField     abi.Code = "read.field_not_found" // of a record
	CodeNotText     abi.Code = "read.field_not_text"
	CodeExpand      abi.Code = "read.invalid_expand"
	CodeNoMatch     abi.Code = "read.query_not_found"
)

func invalid(message, hint string) error { return abi.NewError(CodeRequest, message, hint) }

func unknownField(name string) error {
	return abi.NewError(CodeField, "no stream that is asked for has the field "+name, "its declaration names the fields there are")
}

// NotGranted refuses what a grant does not name, whether it is there or not (RD-03.2).
func NotGranted(what string) error {
	return abi.NewError(CodeNotGranted, what+" is not granted", "ask for what the grant names")
}

func fieldHidden(name string) error {
	return abi.NewError(CodeFieldHidden, "the field "+name+" is not granted", "ask for what the grant names")
}

func noRecord() error {
	return abi.NewError(abi.CodeRecordUnknown, "there is no record with that key", "`pdpp-host records list` shows the keys there are")
}

// Warning says how an answer differs from what was asked for. It never changes the answer's
// success.
type Warning struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	Field      string `json:"field,omitempty"` // that records lack
	Connection string `json:"connection_id,omitempty"`
}

// Codes of warnings (RD-06.1).
const (
	WarnClamped    = "limit_clamped"
	WarnDowngraded = "count_downgraded"
	WarnSkipped    = "source_skipped_not_applicable"
	WarnPartial    = "partial_results"
)
