package profile

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
)

// preferences are those of a profile whatever its browser has made of them: it keeps nothing of what is
// typed into forms, and no history, where a code or a password would stand in the clear, and fetches
// nothing that a page may want later, which goes past the gate.
const preferences = `{"autofill":{"enabled":false,"profile_enabled":false,"credit_card_enabled":false},"credentials_enable_service":false,` +
	`"credentials_enable_autosignin":false,"history":{"saving_disabled":true},"net":{"network_prediction_options":2},"profile":{"password_manager_enabled":false}}`

// largestPreferences bounds what is read of a file of preferences, in bytes.
const largestPreferences = 16 << 20

// prefer gives a profile its preferences, beside those that its browser has noted there.
func (h *Held) prefer() error {
	const folder, file = "Default", "Default/Preferences"
	if err := h.root.Mkdir(folder, private); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	var ours map[string]any
	if err := json.Unmarshal([]byte(preferences), &ours); err != nil {
		return err
	}
	path := filepath.FromSlash(file)
	text := []byte(preferences)
	if info, err := h.root.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() <= largestPreferences {
		before, err := h.root.ReadFile(path)
		if err != nil {
			return err
		}
		var theirs map[string]json.RawMessage
		if json.Unmarshal(before, &theirs) == nil { // its browser begins anew with one that cannot be read
			if text, err = merged(theirs, ours); err != nil {
				return err
			}
		}
	}
	return replace(h.root, path, text)
}

// merged writes ours over theirs, and leaves the rest as it was.
func merged(theirs map[string]json.RawMessage, ours map[string]any) ([]byte, error) {
	out := maps.Clone(theirs)
	if out == nil { // it was null
		out = map[string]json.RawMessage{}
	}
	for name, value := range ours {
		inner, is := value.(map[string]any)
		var text []byte
		var err error
		if is {
			var below map[string]json.RawMessage
			if json.Unmarshal(out[name], &below) != nil {
				below = nil
			}
			text, err = merged(below, inner)
		} else {
			text, err = json.Marshal(value)
		}
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	return json.Marshal(out)
}
