package sdk

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Why a record that the scope wants was not sent.
const (
	withheldTooLarge = "record_too_large"
	withheldNoKey    = "record_key_missing"
	withheldBadKey   = "record_key_invalid" // above maxKeyBytes, or with a NUL
)

// withheldEach is how many records of one stream and reason are reported one
// by one. The rest is counted and reported at the end, so that a file of bad
// lines does not become a flood of messages.
const withheldEach = 10

// withheld counts the records of one reason.
type withheld struct {
	reason string
	count  int64
}

// withhold accounts for a record that is not sent. key may be nil.
func (h *Host) withhold(s *stream, reason string, key []byte, size int64) error {
	i := 0
	for i < len(s.withheld) && s.withheld[i].reason != reason {
		i++
	}
	if i == len(s.withheld) {
		s.withheld = append(s.withheld, withheld{reason: reason})
	}
	if s.withheld[i].count++; s.withheld[i].count > withheldEach {
		return h.failed
	}
	skip := abi.SkipResult{Stream: s.name, Reason: reason, RecoveryHint: abi.Raw(`"retry_on_connector_upgrade"`)}
	switch reason {
	case withheldTooLarge:
		skip.Message = "a record of " + strconv.FormatInt(size, 10) + " bytes was not sent: the limit is " +
			strconv.Itoa(abi.MaxRecordBytes)
		skip.Diagnostics = abi.Raw(`{"size_bytes":` + strconv.FormatInt(size, 10) + `}`)
		if text := keyText(key); len(text) <= 200 {
			skip.ResourceIDs = []string{text}
		}
	case withheldBadKey:
		skip.Message = "a record was not sent: its key is above " + strconv.Itoa(maxKeyBytes) + " bytes or contains a NUL character"
	default:
		skip.Message = "a record without its key was not sent: a field of primary_key is missing, null or empty"
	}
	return h.Skip(skip)
}

// reportWithheld reports the records that withhold counted.
func (h *Host) reportWithheld() error {
	var first error
	for _, s := range h.streams {
		for _, w := range s.withheld {
			more := w.count - withheldEach
			if more <= 0 {
				continue
			}
			err := h.Skip(abi.SkipResult{
				Stream: s.name, Reason: w.reason, RecoveryHint: abi.Raw(`"retry_on_connector_upgrade"`),
				Message:     strconv.FormatInt(more, 10) + " more records were not sent for the same reason",
				Diagnostics: append(jsonappend.Int([]byte(`{"records":`), more), '}'),
			})
			if first == nil {
				first = err
			}
		}
	}
	return first
}

// keyText returns a key as the host shows it: a string's text, or the array.
func keyText(key []byte) string {
	if v, err := jsonvalue.Parse(key); err == nil && v.Kind() == jsonvalue.String {
		return v.Str()
	}
	return string(key)
}
