package plugin

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
)

// FuzzPointers makes one call with any arguments: the guest is ended by a code
// of the call table, or goes on; nothing panics, and no more than the guest's
// memory holds reaches the host.
func FuzzPointers(f *testing.F) {
	f.Add(uint8(1), int32(1), int32(65535), int32(1))
	f.Add(uint8(11), int32(1), int32(-1), int32(-1))
	f.Fuzz(func(t *testing.T, which uint8, a, b, c int32) {
		row := abi.Calls[int(which)%len(abi.Calls)]
		args := []int32{a, b, c}
		if row.Name == "wait" {
			args[0] = 0
		}
		var body []byte
		for i := range row.Params {
			body = append(body, i32(int64(args[i]))...)
		}
		body = append(body, call(row.Name)...)
		if len(row.Results) > 0 {
			body = append(body, drop...)
		}
		h := &scripted{onEmit: func(p []byte) error {
			if len(p) > 65536 {
				t.Errorf("%d bytes out of 65536, want len(p) <= 65536", len(p))
			}
			return nil
		}}
		o := Options{Isolation: IsolationInline, Limits: Limits{Run: 5 * time.Second}}
		exit := collect(t, o, connector(body).file(), Grant{}, h)
		switch code := abi.CodeOf(exit.Err); {
		case exit.Err == nil:
		case code == abi.CodeCallOutOfBounds, code == abi.CodeCallTooLarge, code == abi.CodeCallOutOfPhase:
		default:
			t.Fatalf("%s(%d): got %v, want no error, or one of the bounds, size or phase", row.Name, args, exit.Err)
		}
	})
}

// FuzzModule loads any bytes: the answer is a guest or an error with a code.
func FuzzModule(f *testing.F) {
	f.Add(connector(nil).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		o := Options{Isolation: IsolationInline, Limits: Limits{Describe: time.Second, MemoryBytes: 1 << 20}}
		if _, err := load(t, o, FromBytes("fuzzed", b)); err != nil && abi.CodeOf(err) == abi.CodeInternal {
			t.Fatalf(`load(t, o, FromBytes("fuzzed", b)): got %+v, want no error || abi.CodeOf(err) != abi.CodeInternal`, err)
		}
	})
}

// FuzzReport reads what a worker may send as its last word.
func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"returned":true,"code":1,"error":"guest.trap","message":"m"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		out, err := decodeReport(b)
		if err != nil && abi.CodeOf(err) != abi.CodeWorkerBadData {
			t.Fatalf("got %+v, want no error || abi.CodeOf(err) == abi.CodeWorkerBadData", err)
		}
		if err == nil && out.Err == nil && !out.Returned {
			t.Fatal("it says nothing")
		}
	})
}

// FuzzClean holds the text that reaches a log to what a terminal can bear.
func FuzzClean(f *testing.F) {
	f.Add([]byte("a\x1b[2J\xff\u202e\nb"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var tl tail
		tl.write(b)
		if s := tl.String(); len(s) > tailBytes || !utf8.ValidString(s) {
			t.Fatalf("tl.String(): got %q, want len(s) <= tailBytes && utf8.ValidString(s)", s)
		}
		got := clean(nil, b)
		if !utf8.Valid(got) {
			t.Fatalf("got %q, want utf8.Valid(got)", got)
		}
		for _, c := range string(got) {
			if c < ' ' || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e {
				t.Fatalf("%q holds %q, want c >= ' ' && (c < 0x7f || c >= 0xa0) && (c < 0x202a || c > 0x202e)", got, c)
			}
		}
	})
}
