package run

import (
	"encoding/base32"
	"encoding/binary"
	"io"
	"strings"
	"time"
)

// NewID returns "run_" and 26 lower-case letters and digits: 48 bits of now in
// milliseconds, so that ids sort by time, and 80 bits of rand. An error of
// rand leaves the time alone to tell runs apart, which the store then refuses
// when it repeats.
func NewID(now time.Time, rand io.Reader) string {
	var b [16]byte
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	_, _ = io.ReadFull(rand, b[6:])
	enc := base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)
	return "run_" + strings.ToLower(enc.EncodeToString(b[:]))
}
