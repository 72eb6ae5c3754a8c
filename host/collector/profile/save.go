package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/atomicfile"
)

// Save writes a profile, whole or not at all: a new file beside it takes its
// place. A profile without a name gets one of its connector and lane.
func (d *Folder) Save(p *Profile) error {
	if p.Name == "" {
		p.Name = NameFor(p)
	}
	if !profileName.MatchString(p.Name) {
		return invalidProfile("", "its name may hold letters, digits, '.', '-' and '_' only")
	}
	text, err := p.Text()
	if err != nil {
		return err
	}
	if _, err := Parse(p.Name, text); err != nil {
		return err
	}
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		return unusable("the folder of the profiles cannot be made", d.Dir, err)
	}
	if err := private(d.Dir); err != nil {
		return err
	}
	return d.replace(d.Path(p.Name), text)
}

// Supersede removes the profiles of this machine whose place p has taken: those of
// the same connection of the same host, which takes nothing from them any more. It
// returns their sources, but for p's own. Their outboxes stay.
func (d *Folder) Supersede(p *Profile) (sources []string, err error) {
	list, _ := d.List() // one that cannot be read is told when it is used
	for _, old := range list {
		if old.Name == p.Name || old.BaseURL != p.BaseURL || p.ConnectorInstanceID == "" || old.ConnectorInstanceID != p.ConnectorInstanceID {
			continue
		}
		if err := d.Remove(old.Name); err != nil {
			return sources, err
		}
		if old.SourceInstanceID != p.SourceInstanceID {
			sources = append(sources, old.SourceInstanceID)
		}
	}
	return sources, nil
}

func (d *Folder) replace(path, text string) error {
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		return unusable("the profile cannot be written", path, err)
	}
	return nil
}

// NameFor names a profile by what it is of.
func NameFor(p *Profile) string { return fileWord(p.ConnectorID) + "-" + fileWord(p.SourceInstanceID) }

// fileWord is text as a part of a file's name: nothing of it is a path. A name that cannot be
// kept as it is gets a part of its hash, so that two names stay apart.
func fileWord(text string) string {
	word := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, text)
	word = word[:min(len(word), 60)]
	if word != text || word == "" || word[0] == '-' {
		sum := sha256.Sum256([]byte(text))
		word = "x" + word + "-" + hex.EncodeToString(sum[:4])
	}
	return word
}
