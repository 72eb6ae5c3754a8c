package main

import "testing"

// A device is never called nothing, and what it calls itself moves no cursor.
func TestDeviceName(t *testing.T) {
	t.Parallel()
	const id = "dev_06h00qx7breh298haw2twqym7g"
	for want, got := range map[string]string{
		"desk":         deviceName("de\x1bsk", id, "codex"),
		"codex":        deviceName("", id, "codex"),
		"codex, notes": deviceName("\n", id, "codex", "notes"),
		"dev_06h00qx…": deviceName("", id),
		"dev_1":        deviceName("", "dev_1"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLooksLikeSecret(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]bool{
		"token": false, "refresh_token": false, "GITHUB_PERSONAL_ACCESS_TOKEN": false, "personal_access_token_2": false, "client-secret-of-the-app": false,
		"ghp_abcDEF0123456789abcDEF": true, "secret_abcdefgh12": true, "correct horse battery": true, "YWxhZGRpbjpvcGVuc2Vz": true,
	} {
		if got := looksLikeSecret(typed); got != want {
			t.Errorf("%q: %v", typed, got)
		}
	}
}

func TestProcessOf(t *testing.T) {
	t.Parallel()
	for holder, want := range map[string]string{
		"boot:4026531836:17:99": "process 17", "boot:4026531836:17:99:machine": "process 17", "laptop:17": "process 17", "gone": "as gone",
	} {
		if got := processOf(holder); got != want {
			t.Errorf("%q is told as %q, want %q", holder, got, want)
		}
	}
}
