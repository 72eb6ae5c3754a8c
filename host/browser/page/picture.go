package page

import (
	"context"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Picture takes a picture of what the page shows, or of one element.
func (p *Page) Picture(ctx context.Context, selector, format string) (picture []byte, width, height int, err error) {
	var at struct {
		N     int       `json:"n"`
		Large bool      `json:"large"`
		Place []float64 `json:"place"` // left, top, width and height in the document, and pixels to each
	}
	err = p.run(ctx, &at, fmt.Sprintf(`s => {`+look+`
		const {n, e} = s ? one(s, null) : {n: 1}, r = e?.getBoundingClientRect() ?? {left: 0, top: 0, width: innerWidth, height: innerHeight}, d = devicePixelRatio;
		if (s && !e) return {n};
		const w = Math.ceil(r.width), h = Math.ceil(r.height);
		return w * d * h * d > %d || !(w > 0 && h > 0) ? {n, large: true} : {n, place: [r.left + scrollX, r.top + scrollY, w, h, d]} }`, abi.BrowserPixels), selector)
	const parts = 5
	switch {
	case err != nil:
		return nil, 0, 0, err
	case at.Large:
		return nil, 0, 0, tooLarge()
	case len(at.Place) != parts:
		return nil, 0, 0, chosen(at.N)
	}
	ask := proto.PageCaptureScreenshot{
		Format: proto.PageCaptureScreenshotFormatPng, FromSurface: true, CaptureBeyondViewport: selector != "",
		Clip: &proto.PageViewport{X: at.Place[0], Y: at.Place[1], Width: at.Place[2], Height: at.Place[3], Scale: 1},
	}
	if format == abi.FormatJPEG {
		ask.Format = proto.PageCaptureScreenshotFormatJpeg
	}
	on, done := p.on(ctx)
	defer done()
	got, err := ask.Call(on)
	switch {
	case err != nil:
		return nil, 0, 0, p.settled(err)
	case len(got.Data) > abi.BrowserPicture:
		return nil, 0, 0, tooLarge()
	}
	return got.Data, int(at.Place[2] * at.Place[4]), int(at.Place[3] * at.Place[4]), nil
}
