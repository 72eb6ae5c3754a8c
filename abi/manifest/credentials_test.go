package manifest_test

import (
	"reflect"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// Every place that names a credential is listed, in the manifest's order, and the
// first of each says what an owner gives.
func TestCredentials(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	field := func(name, label string, required bool, env ...string) abi.CredentialField {
		return abi.CredentialField{Name: name, Label: label, Env: env, Required: required}
	}
	secret := func(is *bool, c abi.CredentialField) abi.CredentialField { c.Secret = is; return c }
	form := func(required any, fields ...any) object {
		c := object{"kind": "access_token", "fields": fields}
		if required != nil {
			c["required"] = required
		}
		return object{"credential_capture": c}
	}
	token := object{"name": "token", "label": "Token", "env": list{"APP_TOKEN", "OLD_TOKEN"}, "required": true}
	note := object{"name": "note", "label": "Note", "env": list{"NOTE"}, "secret": false}
	open := object{"name": "open", "label": "Open", "env": list{"OPEN"}, "secret": false}
	slot := func(name string, more object) object {
		s := object{"name": name, "hosts": list{"api.example.org"}, "in": "header", "key": "Authorization"}
		for k, v := range more {
			s[k] = v
		}
		return s
	}
	renewed := func(name string, more object) object {
		o := object{"token_url": "https://api.example.org/t", "refresh_field": "refresh", "client_id_field": "note"}
		for k, v := range more {
			o[k] = v
		}
		return slot(name, object{"field": "access", "oauth2": o})
	}
	for name, c := range map[string]struct {
		setup object
		auth  list
		slots list
		want  []abi.CredentialField
	}{
		"none": {},
		"a form": {
			setup: form(nil, note, token),
			want:  []abi.CredentialField{secret(&no, field("note", "Note", false, "NOTE")), field("token", "Token", true, "APP_TOKEN", "OLD_TOKEN")},
		},
		"a form that is required": {setup: form(true, token), want: []abi.CredentialField{field("token", "Token", true, "APP_TOKEN", "OLD_TOKEN")}},
		"a form that may stay empty": {
			setup: form(false, token), want: []abi.CredentialField{field("token", "Token", false, "APP_TOKEN", "OLD_TOKEN")},
		},
		"said to be secret": {
			setup: form(nil, object{"name": "pin", "label": "PIN", "env": list{"PIN"}, "secret": true}),
			want:  []abi.CredentialField{secret(&yes, field("pin", "PIN", false, "PIN"))},
		},
		"variables alone": {
			auth: list{"APP_KEY", "APP_ID"},
			want: []abi.CredentialField{field("app_key", "APP_KEY", true, "APP_KEY"), field("app_id", "APP_ID", true, "APP_ID")},
		},
		"variables of the form's": {
			setup: form(nil, token, note), auth: list{"OLD_TOKEN", "NOTE", "MORE"},
			want: []abi.CredentialField{
				field("token", "Token", true, "APP_TOKEN", "OLD_TOKEN"), secret(&no, field("note", "Note", false, "NOTE")),
				field("more", "MORE", true, "MORE"),
			},
		},
		"a variable called as a field": {
			setup: form(nil, object{"name": "KEY", "label": "Key", "env": list{"OTHER"}, "secret": false}), auth: list{"KEY"},
			want: []abi.CredentialField{secret(&no, field("KEY", "Key", false, "OTHER"))},
		},
		"slots": {
			setup: form(nil, note), auth: list{"APP_KEY"},
			slots: list{slot("api", object{"field": "APP_KEY", "as": "basic", "user_field": "note"}), slot("more", object{"field": "APP_KEY"})},
			want:  []abi.CredentialField{secret(&no, field("note", "Note", false, "NOTE")), field("app_key", "APP_KEY", true, "APP_KEY")},
		},
		"sent, and said to be public": {
			setup: form(nil, note), slots: list{slot("api", object{"field": "note"})},
			want: []abi.CredentialField{field("note", "Note", false, "NOTE")},
		},
		"renewed, and said to be public": {
			setup: form(nil, note, open), slots: list{renewed("api", object{"refresh_field": "open"})},
			want: []abi.CredentialField{
				secret(&no, field("note", "Note", false, "NOTE")), field("open", "Open", false, "OPEN"), field("access", "api", false),
			},
		},
		"the client's secret, and said to be public": {
			setup: form(nil, note, open), slots: list{renewed("api", object{"client_secret_field": "open"})},
			want: []abi.CredentialField{
				secret(&no, field("note", "Note", false, "NOTE")), field("open", "Open", false, "OPEN"),
				field("access", "api", false), field("refresh", "api: refresh token", true),
			},
		},
		"a slot that is renewed": {
			setup: form(nil, note, token), slots: list{renewed("api", object{"client_secret_field": "token"})},
			want: []abi.CredentialField{
				secret(&no, field("note", "Note", false, "NOTE")), field("token", "Token", true, "APP_TOKEN", "OLD_TOKEN"),
				field("access", "api", false), field("refresh", "api: refresh token", true),
			},
		},
		"a token of two slots": {
			setup: form(nil, note), slots: list{renewed("one", nil), renewed("two", nil)},
			want: []abi.CredentialField{
				secret(&no, field("note", "Note", false, "NOTE")),
				field("access", "one", false), field("refresh", "one: refresh token", true),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := set(t, minimal(), "runtime_requirements", object{
				"bindings": object{"network": object{"required": true}},
				"network":  object{"hosts": list{object{"host": "api.example.org", "reason": "The API"}}, "credentials": append(list{}, c.slots...)},
			})
			if c.auth != nil {
				set(t, m, "capabilities", object{"auth": object{"kind": "env", "required": c.auth}})
			}
			if c.setup != nil {
				set(t, m, "setup", c.setup)
			}
			parsed := valid(t, m)
			got := manifest.Credentials(parsed)
			for i := range max(len(got), len(c.want)) {
				if i >= len(got) || i >= len(c.want) || !reflect.DeepEqual(got[i], c.want[i]) {
					t.Fatalf("%d:\n%+v, not\n%+v, want i < len(got) && i < len(c.want) && reflect.DeepEqual(got[i], c.want[i])", i, got, c.want)
				}
			}
			if !reflect.DeepEqual(parsed, valid(t, m)) {
				t.Error("the manifest itself was changed")
			}
		})
	}
}
