package console

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// evil is what a connector that means harm puts wherever it may write a text.
const evil = `</script><script>window.harmed=1</script><img src=x onerror=window.harmed=1><a href="javascript:window.harmed=1">click</a>` +
	`<style>body{display:none}</style><base href="http://elsewhere.example/">"'{{7*7}}` + "`id`"

// painted is text that reorders what stands beside it, where a manifest may not hold it.
const painted = "\u202egnp.exe\u2066 \u200b\u0000\u001b[2J"

// hostile builds a connector whose manifest is full of script.
func hostile(t *testing.T) string {
	t.Helper()
	path, err := tree.Variant("hostile", "testplugins/guests/scripted", func(dir string) (string, error) {
		original, err := filepath.Abs("../guests/scripted/manifest.json")
		if err != nil {
			return "", err
		}
		text, err := os.ReadFile(original)
		if err != nil {
			return "", err
		}
		changed := strings.NewReplacer(
			`"Scripted guest"`, quoted(evil), `"Mutable records."`, quoted(evil),
			`"A test guest runs when a test runs it."`, quoted(evil), `"nothing is fetched: a test stands in its place"`, quoted(evil),
			`"streams":`, `"reason_display_messages": {"scripted_broken": `+quoted(evil)+`}, "streams":`,
		).Replace(string(text))
		manifest, overlay := filepath.Join(dir, "hostile.json"), filepath.Join(dir, "overlay.json")
		if err := os.WriteFile(manifest, []byte(changed), 0o600); err != nil {
			return "", err
		}
		replace, err := json.Marshal(map[string]any{"Replace": map[string]string{original: manifest}})
		if err != nil {
			return "", err
		}
		return overlay, os.WriteFile(overlay, replace, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // text is always JSON
	}
	return string(b)
}

// script has a guest emit records full of script and of control characters, one of the largest
// size among them, name files and streams so, ask, and fail with such a message.
func script() string {
	record := func(key, text string) string {
		return `emit {"type":"RECORD","stream":"notes","key":` + quoted(key) + `,"data":{"id":` + quoted(key) + `,"text":` + quoted(text) + `,"at":"2026-01-02T03:04:05Z"},"emitted_at":"2026-01-02T03:04:05Z"}`
	}
	return strings.Join([]string{
		record("1", evil), record(evil, painted), record("javascript:window.harmed=1", "javascript:window.harmed=1"), record("https://elsewhere.example/", "https://elsewhere.example/"),
		"pad 900000 " + record("big", "@"),
		`skip {"type":"SKIP_RESULT","stream":"notes","reason":"file_unreadable","message":` + quoted(evil) + `,"diagnostics":{"files":[` + quoted(evil) + `]}}`,
		`gap {"type":"DETAIL_GAP","stream":"messages","record_key":` + quoted(evil) + `,"reason":"temporary_unavailable","message":` + quoted(evil) + `}`,
		`progress {"type":"PROGRESS","message":` + quoted(evil+painted) + `,"count":1}`,
		`done {"type":"DONE","status":"failed","records_emitted":5,"error":{"code":"scripted_broken","message":` + quoted(evil) + `,"retryable":false}}`,
	}, "\n")
}

// harmless fails when a text of a connector's became more than text.
func harmless(t *testing.T, p *browser.Page, path string) {
	t.Helper()
	for what, expression := range map[string]string{
		"a script ran":                       "typeof window.harmed !== 'undefined'",
		"its own style hides the page":       "getComputedStyle(document.body).display === 'none'",
		"a picture that is not the host's":   "[...document.querySelectorAll('img')].some((e) => new URL(e.src, location.href).origin !== location.origin || e.getAttribute('src') === 'x')",
		"a base that is not the host's":      "document.querySelector('base') !== null",
		"a script that is not the host's":    "[...document.scripts].some((e) => !e.src || new URL(e.src).origin !== location.origin)",
		"a link that runs":                   "[...document.querySelectorAll('[href], [action], [formaction], [src]')].some((e) => ['href', 'action', 'formaction', 'src'].some((a) => /^\\s*(javascript|data|vbscript):/i.test(e.getAttribute(a) || '')))",
		"a handler of its own":               "[...document.querySelectorAll('*')].some((e) => [...e.attributes].some((a) => a.name.startsWith('on')))",
		"a link that tells where it is from": "[...document.querySelectorAll('a[href]')].some((e) => new URL(e.href).origin !== location.origin && !/noreferrer/.test(e.rel))",
		"a template was filled in":           "document.body.innerText.includes('\"\\'49')",
	} {
		if p.Eval(expression).Bool() {
			t.Errorf("%s: %s", path, what)
		}
	}
}
