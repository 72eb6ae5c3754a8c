package web

import (
	"net/http"
	"slices"
)

// inert are the media types that no browser runs, whatever is in them.
var inert = []string{
	"audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm",
	"image/avif", "image/bmp", "image/gif", "image/heic", "image/jpeg", "image/png", "image/tiff", "image/webp",
	"text/csv", "text/plain", "video/mp4", "video/ogg", "video/quicktime", "video/webm",
}

// Attach sets the headers of a file that somebody else made, of which a browser shows and runs
// nothing: it is kept, and where it is opened all the same, it is opened as nobody's.
func Attach(h http.Header, mediaType string) {
	if !slices.Contains(inert, mediaType) {
		mediaType = "application/octet-stream"
	}
	h.Set("Content-Type", mediaType)
	h.Set("Content-Disposition", "attachment")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
}
