package filecursor

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
)

// FuzzModel plays a life of one file against the naive model. After every scan that
// advances, the lines delivered since the last Rebuild are the file's complete lines,
// each once and in order, and the cursor ends on an LF with the hash of everything
// before it. In half of the lives a last line without an LF is whole if it ends with an e.
func FuzzModel(f *testing.F) {
	f.Add([]byte("\x00abc\n\x10\x00def\x10\x20\x10"))
	f.Add([]byte("\x00aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\x10\x35\x10\x00b\n\x45\x10\x56\x10"))
	f.Add([]byte("\x00one\ntwo\n\x60\x10\x00three\n\x71\x80\x10\x93\x10"))
	f.Add([]byte("\x00aee\x10\x00\ne\x10\x01eeeeee\x10\x00\n\x10"))
	f.Fuzz(func(t *testing.T, script []byte) {
		d := newDisk("")
		sc := &Scanner{MaxLine: 20, Buffer: 1 + len(script)%30}
		if len(script)%2 == 1 {
			sc.Whole = endsWithE
		}
		var cursor Cursor
		var delivered []string
		text := []byte{}
		edit := func(next []byte) { text = next; d.write(string(next)) }
		one := func(op byte, arg int, rest []byte) {
			switch op {
			case 0, 1: // append
				edit(slices.Concat(text, rest[:min(arg*3+1, len(rest))]))
			case 2: // cut
				edit(bytes.Clone(text[:len(text)*arg/16]))
			case 3: // change a byte
				if len(text) > 0 {
					next := bytes.Clone(text)
					next[len(text)*arg/16]++
					edit(next)
				}
			case 4: // touch
				edit(bytes.Clone(text))
			case 5: // write anew
				edit(bytes.Clone(rest[:min(arg*2, len(rest))]))
			}
		}
		for i := 0; i < len(script) && i < 400; i++ {
			op, arg := script[i]>>4, int(script[i]&15)
			if op < 6 {
				one(op, arg, script[i+1:])
				continue
			}
			before := text
			plan, err := sc.Open(d, name, cursor)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for n := 0; (op != 7 || n < arg) && sc.Next(); n++ { // 7: ends early
				lines = append(lines, fmt.Sprintf("%d:%s", sc.Offset(), sc.Line()))
			}
			if op == 8 { // something happens under the scan
				one(byte(arg%6), arg, script[i+1:])
			}
			res, err := sc.Close()
			if err != nil {
				t.Fatal(err)
			}
			if !res.Advanced {
				if res.Cursor != cursor || op != 8 {
					t.Fatalf("not advanced: %+v, want Cursor = %v and op = 8", res, cursor)
				}
				continue
			}
			cursor = res.Cursor
			if plan == Skip && op == 8 {
				continue // nothing was read, so the change is one for the next scan
			}
			if plan == Rebuild {
				delivered = nil
			}
			delivered = append(delivered, lines...)
			check(t, sc, before, text, cursor, delivered, op != 7)
		}
	})
}

func endsWithE(line []byte) bool { return bytes.HasSuffix(line, []byte("e")) }

// check compares with the model. before is the text when the scan began.
func check(t *testing.T, sc *Scanner, before, now []byte, c Cursor, delivered []string, whole bool) {
	t.Helper()
	if c.Offset > int64(len(now)) || c.Offset > 0 && now[c.Offset-1] != '\n' && (sc.Whole == nil || now[c.Offset-1] != 'e') {
		t.Fatalf("the offset %d does not end on a LF, or behind a whole line", c.Offset)
	}
	if sha256.Sum256(now[:c.Offset]) != c.PrefixSHA256 {
		t.Fatal("the cursor's hash differs from that of the bytes before its offset")
	}
	last := int64(bytes.LastIndexByte(before, '\n') + 1)
	if tail := before[last:]; sc.Whole != nil && endsWithE(tail) && len(tail) <= sc.MaxLine {
		last = int64(len(before))
	}
	if whole && c.Offset != last {
		t.Fatalf("the offset is %d, the last line ends at %d", c.Offset, last)
	}
	var want []string
	at := 0
	for line := range bytes.Lines(now[:c.Offset]) {
		if text := bytes.TrimSuffix(line, []byte("\n")); len(text) <= 20 {
			want = append(want, fmt.Sprintf("%d:%s", at, text))
		}
		at += len(line)
	}
	if !slices.Equal(delivered, want) {
		t.Fatalf("delivered %q, the file has %q", delivered, want)
	}
}
