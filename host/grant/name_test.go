package grant

import (
	"strings"
	"testing"
)

// RD-39.4: a name can be seen, unless there is none, and all of it.
func TestPlainName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"": true, "An app": true, "Ö": true, "日本": true, "7": true, "☂": true, "क्षि": true, "ภาษาที่": true, "Мой дневник": true,
		" a": false, "a\u202eb": false, "\u3164": false, "\u115f\u1160": false, "\u2800": false, "\uffa0": false, "\u0301": false, "\ufe0f": false, "\u3164\u2800": false,
		"\u115fa": false, "a\u3164b": false, "Notes\u2800": false, "a\u034fb": false, "a\ufe0fb": false, "☂\ufe0f": false, "a\U000e0100": false, "ក\u17b4": false, "a\u00adb": false, "a\u200bb": false, "a\U000e0070\U000e0064\U000e0070\U000e0070": false,
		"e\u0301a": false, "a\u0308\u0303\u0301\u0323b": false, "a" + strings.Repeat("\u0338", 5): false, "\u0338a": false, "a\u20ddb": false, "a\u0902": false, "क\u0336": false, "а\u0488": false, "1\u0902": false,
		"a\xffb": false, strings.Repeat("é", 80): true, strings.Repeat("é", 81): false,
	} {
		if got := PlainName(name); got != want {
			t.Errorf("%+q: got %v, want %v", name, got, want)
		}
	}
}

// No app has this host's own name, in whatever letters that look like it.
func TestNamesHost(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"": false, "An app": false, "Dropped parts": false, "Apple pd": false, "PDF Reader": false, "p d p": false, ProtocolClient: false,
		"pdpp": true, "PDPP": true, "pdpp-host": true, "PDPP Host": true, "p d p p": true, "p-d_p.p": true, "My pdpp console": true, "PDPP CLI 2": true, "pdpp cli": true,
		"рdрр": true, "ΡDΡΡ": true, "ｐｄｐｐ": true, "𝐩𝐝𝐩𝐩-host": true, "ⓟⓓⓟⓟ": true, "pԁpp": true, "ṗḋpp": true, "pđpp": true, "ᴘᴅᴘᴘ": true, "ᏢᎠᏢᏢ": true, "pclpp": true, "⍴d⍴⍴": true, "ƤDPP": true,
		"🅿🅳🅿🅿 host": true, "🅟🅓🅟🅟": true, "🇵🇩🇵🇵": true, "🄿🄳🄿🄿": true, "🄟🄓🄟🄟": true, "⒫⒟⒫⒫": true, "ⓅⒹⓅⓅ": true, "🆊d🆊🆊": true, "ᴩᴅᴩᴩ host": true, "ᵖᵈᵖᵖ": true, "℗d℗℗": true,
		"₱d₱₱": true, "₽d₽₽": true, "p₫pp": true, "p∂pp": true, "ƿdƿƿ": true, "ᵱᵭᵱᵱ": true, "ᶈᶁᶈᶈ": true, "pᑯpp": true, "pᏧpp": true, "pꝺpp": true, "pȡpp": true, "pᶑpp": true, "𐊕d𐊕𐊕": true,
		"🅰 🅱 host": false, "🅿 parking": false, "🇩🇪 diary": false, "₽ and ₫ budget": false,
	} {
		if got := NamesHost(name); got != want {
			t.Errorf("%+q: got %v, want %v", name, got, want)
		}
	}
}
