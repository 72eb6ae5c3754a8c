package corpus

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var words = strings.Fields(`the a of to and in is for that with this it as on be are was from
record cursor stream file test error build index value check list store line batch retry query table
change run read write parse load merge branch commit deploy server client cache token header request
response timeout limit memory thread queue worker migration schema field type function method package
module import export config option flag default path folder name user session page form button layout
recipe garden ledger invoice trail kettle harbour lantern orchard meadow violin bicycle postcard
grün naïve café Straße 東京 データ привет ✓ → 🙂`) //nolint:gosmopolitan // transcripts hold every script

var codeLines = []string{
	`	if err != nil {`, `		return fmt.Errorf("open %s: %w", path, err)`, `	}`,
	`	for i, row := range rows {`, `		total += row.Amount * float64(row.Quantity)`,
	`func (s *Store) Flush(ctx context.Context) error {`, `const limit = 1 << 20`,
	`	assert.Equal(t, "quantity", got["quantity"])`, `    <div className="row">{items.map(render)}</div>`,
	`SELECT id, created_at FROM invoices WHERE total > 0 ORDER BY created_at DESC;`,
	`2026-03-04T10:15:22.123Z INFO  worker[3] finished batch "nightly" in 512ms`,
	`  "dependencies": { "left": "^1.2.0", "right": "~3.4.5" },`, `---`, ``,
}

func (w *writer) pick(list []string) string { return list[w.rand.IntN(len(list))] }

// sentence appends about n bytes of prose to dst.
func (w *writer) sentence(dst []byte, n int) []byte {
	for end := len(dst) + n; len(dst) < end; {
		dst = append(dst, w.pick(words)...)
		switch w.rand.IntN(12) {
		case 0:
			dst = append(dst, ". "...)
		case 1:
			dst = append(dst, ", "...)
		default:
			dst = append(dst, ' ')
		}
	}
	return dst
}

// listing appends about n bytes of text like a source file or a log.
func (w *writer) listing(dst []byte, n int) []byte {
	number := w.rand.IntN(900) + 1
	for end := len(dst) + n; len(dst) < end; number++ {
		dst = strconv.AppendInt(dst, int64(number), 10)
		dst = append(dst, '\t')
		dst = append(dst, w.pick(codeLines)...)
		dst = append(dst, '\n')
	}
	return dst
}

// skewed returns a size with the median given and a long tail, at most most.
func (w *writer) skewed(median, most int) int {
	n := float64(median)
	for w.rand.IntN(3) == 0 && n < float64(most) {
		n *= 2.5
	}
	return min(int(n*(0.3+1.4*w.rand.Float64())), most)
}

// uuid returns a version 4 UUID.
func (w *writer) uuid() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(w.rand.Uint32())
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// opaque returns n letters and digits.
func (w *writer) opaque(n int) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[w.rand.IntN(len(alphabet))]
	}
	return string(b)
}

func (w *writer) stamp() string { return w.now.Format("2006-01-02T15:04:05.000Z") }

// day returns the date of t as path elements.
func day(t time.Time) string { return t.Format("2006/01/02") }

// quote appends s as a JSON string. The text is valid UTF-8 already.
func quote[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ' || c == utf8.RuneSelf-1:
			dst = append(dst, ' ')
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
