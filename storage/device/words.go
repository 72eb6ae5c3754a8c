package device

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// A device's words about itself may be anybody's text: it is kept short, and names are held
// to what names are.

const (
	maxDeviceName  = 256 // bytes of an id, a stream's name, a gap's boundary word
	maxDeviceLabel = 64

	maxConnectionName = 100
	maxDeviceText     = 500 // of a message
)

// badRequest names the field that a device or an owner got wrong, and no value.
func badRequest(field, want string) *abi.Error {
	return abi.NewError(device.CodeBadRequest, field+" is not "+want, "send one that is").WithDetail(field)
}

func unauthorizedDevice() *abi.Error {
	return abi.NewError(device.CodeUnauthorized, "the device's credential is not good, or was revoked", "enroll the device again")
}

// isName reports whether s can be an id or a name: printable, of one line, and
// not too long.
func isName(s string) bool {
	return s != "" && len(s) <= maxDeviceName && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// checkName checks that each of field, value, field, value... is a name.
func checkName(fields ...string) error {
	for i := 0; i < len(fields); i += 2 {
		if !isName(fields[i+1]) {
			return badRequest(fields[i], "a name of 1 to "+strconv.Itoa(maxDeviceName)+" printable bytes")
		}
	}
	return nil
}

// labelOf keeps the printable start of a text that a device calls itself, or its
// program, by.
func labelOf(s string) string { return printable(s, maxDeviceLabel) }

// printable keeps what of a text is printable, up to most bytes of it.
func printable(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	for len(s) > most {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return strings.TrimSpace(s)
}

// connectionNameOf makes of a binding's name one that a connection can have.
func connectionNameOf(binding string) string {
	name := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '_' || r == '-' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '-'
	}, binding)
	name = strings.TrimLeft(name, ".-")
	return strings.TrimRight(name[:min(len(name), maxConnectionName)], ".-")
}
