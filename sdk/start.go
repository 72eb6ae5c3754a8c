package sdk

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// readStart reads the manifest and START.
func (h *Host) readStart(manifest string) error {
	var err error
	if h.manifest, err = jsonvalue.Parse([]byte(manifest)); err != nil {
		return abi.NewError(abi.CodeManifestInvalid, "the manifest is not JSON", "correct manifest.json").Wrap(err)
	}
	for it := h.manifest.Get("streams").Children(); it.Next(); {
		h.streams = append(h.streams, newStream(it.Value()))
	}
	if h.start, err = h.request(abi.OpStart, "start", nil); err != nil {
		return err
	}
	if h.start.Get("type").Str() != abi.TypeStart {
		return abi.NewError(abi.CodeMessageType, "START is missing", "run the connector under a host of ABI version 1")
	}
	for it := h.start.Get("scope").Get("streams").Children(); it.Next(); {
		if s := h.stream(it.Value().Get("name").Str()); s != nil {
			if err := s.narrow(it.Value()); err != nil {
				return err
			}
		}
	}
	for it := h.start.Get("bindings").Get("filesystem").Get("roots").Children(); it.Next(); {
		h.roots = append(h.roots, abi.Root{Name: it.Value().Get("name").Str(), Path: it.Value().Get("path").Str()})
	}
	h.details.limits = readLimits(h.start.Get("detail_limits"))
	h.gaps.read(h, h.start.Get("detail_gaps"))
	return nil
}

// stream returns the manifest's stream named name, or nil.
func (h *Host) stream(name string) *stream {
	if h.last != nil && h.last.name == name {
		return h.last
	}
	for _, s := range h.streams {
		if s.name == name {
			h.last = s
			return s
		}
	}
	return nil
}

// undeclared is the error for a stream that the manifest does not have.
func undeclared(name string) error {
	return abi.NewError(abi.CodeStreamUnknown, "the connector emits a stream that its manifest does not declare",
		"declare the stream in manifest.json").WithDetail(name)
}

// narrow applies START's scope of the stream.
func (s *stream) narrow(scope jsonvalue.Value) error {
	s.wanted = true
	for it := scope.Get("resources").Children(); it.Next(); {
		if s.resources == nil {
			s.resources = make(map[string]bool)
		}
		s.resources[s.resourceKey(it.Value())] = true
	}
	for it := scope.Get("fields").Children(); it.Next(); {
		if s.fields == nil {
			s.fields = make(map[string]bool)
		}
		s.fields[it.Value().Str()] = true
	}
	if s.fields != nil {
		for _, name := range s.primaryKey {
			s.fields[name] = true
		}
	}
	var err error
	if s.since, err = bound(scope.Get("time_range").Get("since")); err != nil {
		return err
	}
	if s.until, err = bound(scope.Get("time_range").Get("until")); err != nil {
		return err
	}
	s.timed = !s.since.IsZero() || !s.until.IsZero()
	return nil
}

func bound(v jsonvalue.Value) (time.Time, error) {
	text := v.Str()
	if text == "" {
		return time.Time{}, nil
	}
	t, ok := parseInstant(text)
	if !ok {
		return t, abi.NewError(abi.CodeEnvelope, "START bounds a stream by a time that is not in RFC 3339",
			"this is a fault of the host; report it with this message")
	}
	return t, nil
}
