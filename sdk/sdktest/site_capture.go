package sdktest

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// picture is one pixel, as every screenshot of a Site.
const picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55" +
	"\x00\x00\x00\x0aIDAT\x78\x9c\x63\x60\x00\x00\x00\x02\x00\x01\x48\xaf\xa4\x71\x00\x00\x00\x00IEND\xae\x42\x60\x82"

func (*Site) picture(asks *abi.BrowserRequirements) (*abi.BrowserAnswer, []byte, *abi.Error) {
	if asks == nil || !asks.Pictures {
		return nil, nil, siteError(abi.CodeBrowserPicture, "the manifest declares no screenshots")
	}
	return &abi.BrowserAnswer{Width: 1, Height: 1}, []byte(picture), nil
}

// gets keeps what a page gets where it has been led, while it is captured.
func (s *Site) gets(page int) {
	prefixes, capturing := s.capturing[page]
	if !capturing {
		return
	}
	for _, a := range s.Answers[s.open[page]] {
		if len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(a.URL, prefix) }) {
			s.captured = append(s.captured, a)
		}
	}
}

func (s *Site) capture(r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, *abi.Error) {
	switch r.Do {
	case abi.BrowserCaptureStart:
		if s.capturing == nil {
			s.capturing = map[int][]string{}
		}
		s.capturing[r.Page] = append([]string{}, r.Prefixes...)
		return &abi.BrowserAnswer{}, nil, nil
	case abi.BrowserCaptureStop:
		delete(s.capturing, r.Page)
		s.captured = nil
		return &abi.BrowserAnswer{}, nil, nil
	}
	if len(s.captured) == 0 {
		return nil, nil, siteError(abi.CodeBrowserTimeout, "the operation capture.next took too long")
	}
	a, dropped := s.captured[0], int64(0)
	s.captured = s.captured[1:]
	return &abi.BrowserAnswer{URL: a.URL, Status: a.Status, Dropped: &dropped}, a.Body, nil
}
