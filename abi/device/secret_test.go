package device_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	token, err := device.NewToken(bytes.NewReader(bytes.Repeat([]byte{0xa5}, 32)))
	if err != nil || token != "ldt"+strings.Repeat("a5", 32) {
		t.Fatalf(`got %+v, %+v, want no error && token == "ldt" + strings.Repeat("a5", 32)`, token, err)
	}
	code, err := device.NewCode(bytes.NewReader(make([]byte, 40)))
	if err != nil || !strings.HasPrefix(code, "lde") {
		t.Fatalf(`got %+v, %+v, want no error && strings.HasPrefix(code, "lde")`, code, err)
	}
	if _, err := device.NewToken(bytes.NewReader(make([]byte, 31))); err == nil {
		t.Error("a token of too little chance")
	}
	if !device.IsSecret(device.TokenPrefix, token) || !device.IsSecret(device.CodePrefix, code) || device.IsSecret(device.CodePrefix, token) {
		t.Error("the forms are not told apart")
	}
	for _, bad := range []string{"", "ldt", token[:66], token + "0", strings.ToUpper(token), "ldt" + strings.Repeat("g", 64), " " + token[1:]} {
		if device.IsSecret(device.TokenPrefix, bad) {
			t.Errorf("%q has the form of a token, want !device.IsSecret(device.TokenPrefix, bad)", bad)
		}
	}
	if h := device.SecretHash(token); len(h) != 64 || h == device.SecretHash(code) || strings.Contains(h, token[3:]) {
		t.Errorf("device.SecretHash(token): got %+v, want len(h) == 64 && h != device.SecretHash(code) && !strings.Contains(h, token[3:])", h)
	}
}
