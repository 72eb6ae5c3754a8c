package health

import "testing"

func TestCredentialShaped(t *testing.T) {
	t.Parallel()
	for code, want := range map[Word]bool{
		"auth_failed": true, "bad_credentials": true, "session_expired": true, "http_401": true, "401": true, "token_revoked": true,
		"authentication_error": true, "item_14011_failed": false, "timeout": false, "": false, "session_saved": false,
	} {
		if CredentialShaped(code) != want {
			t.Errorf("%q: credentialShaped(code): got %v, want %v", code, !want, want)
		}
	}
}

func TestRuntimeDependency(t *testing.T) {
	t.Parallel()
	for code, want := range map[Word]int{
		"browser_runtime_not_configured": runtimeNoBrowser, "missing_browser_surface": runtimeNoSurface,
		"missing_runtime_binding": runtimeNoBinding, "runtime_binding_missing": runtimeNoBinding,
		"binary_missing": runtimeNoTool, "external_tool_missing": runtimeNoTool, "external_tool_unavailable": runtimeNoTool,
	} {
		if row, ok := runtimeDependency(code); !ok || row != want {
			t.Errorf("%q: row %d, %v, want ok && row == want", code, row, ok)
		}
	}
	if _, ok := runtimeDependency("timeout"); ok {
		t.Error("a timeout is no missing dependency")
	}
}

func TestWithoutPrefix(t *testing.T) {
	t.Parallel()
	for class, want := range map[Word]Word{"failure:auth": "auth", "terminal:": "", "auth": "auth", "connector: a:b": "a:b", "token: a": "token: a", "": ""} {
		if got := withoutPrefix(class); got != want {
			t.Errorf("%q: withoutPrefix(class): got %q, want %v", class, got, want)
		}
	}
}
