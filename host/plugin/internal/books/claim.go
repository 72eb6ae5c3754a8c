package books

import (
	"encoding/json"
	"path"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Claim takes what a guest says of its files in one ACCOUNT. The boundary reads the same
// message and refuses one that is wrong, which ends the run, so that nothing is said here.
func (b *Books) Claim(payload []byte) {
	var a abi.Account
	if json.Unmarshal(payload, &a) != nil {
		return
	}
	for i := range a.Files {
		b.claim(&a.Files[i])
	}
}

func (b *Books) claim(f *abi.FileAccount) {
	counts := b.roots[f.Root]
	if counts == nil {
		return
	}
	b.claims = true
	at := File{f.Root, path.Clean(f.Path)}
	if f.Entries != nil && f.Entries.Unknown > 0 && len(b.holders) < MaxNames {
		b.holders[at] = true
	}
	h := hash(b.seed, at.Root, at.Path)
	if f.As == abi.FileUnknown {
		if len(b.unknown) < maxExact {
			b.unknown[h] = true
			for dir := path.Dir(at.Path); dir != "." && dir != "/" && len(b.within) < maxExact; dir = path.Dir(dir) {
				b.within[hash(b.seed, at.Root, dir)] = true
			}
		}
		return
	}
	delete(b.unknown, h)
	if f.As != abi.FileRead && f.As != abi.FileBeginning {
		b.vouched.add(told(h))
	}
	fresh := b.explained.add(h)
	b.amiss.claim(at, f)
	b.said.claim(at, f)
	switch {
	case f.As == abi.FileKnown:
		counts.Known++
	case f.As == abi.FileDamaged:
		counts.Broken++
	case f.As == abi.FileRule:
		counts.Rule++
	case b.read.full() && fresh, !b.read.full() && !b.read.has(h):
		b.read.add(h)
		counts.Read++
	}
}
