package ui

import (
	"fmt"
	"strings"

	"rsc.io/qr"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// QR is a QR code as the path of an SVG.
type QR struct {
	Side int // in modules, with the quiet zone
	Path string
}

// quiet is the width of the empty edge that a camera needs, in modules.
const quiet = 4

// QROf draws a text of at most some thousand bytes.
func QROf(text string) (QR, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return QR{}, abi.NewError(abi.CodeInternal, words.Broken, words.BrokenHint).Wrap(err)
	}
	var b strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; {
			n := 0
			for x+n < code.Size && code.Black(x+n, y) {
				n++
			}
			if n > 0 {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", x+quiet, y+quiet, n, n)
			}
			x += max(n, 1)
		}
	}
	return QR{code.Size + 2*quiet, b.String()}, nil
}

func (q QR) viewBox() string { return fmt.Sprintf("0 0 %d %d", q.Side, q.Side) }
