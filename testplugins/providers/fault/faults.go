package fault

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"
)

// Status answers with a status, headers (name, value, name, value, …) and a
// body, without asking the provider.
func Status(code int, body string, header ...string) Fault {
	return func(_ *Env, w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		set(w.Header(), header)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// Throttle answers 429, with Retry-After unless it is empty.
func Throttle(retryAfter string, header ...string) Fault {
	if retryAfter != "" {
		header = append([]string{"Retry-After", retryAfter}, header...)
	}
	return Status(http.StatusTooManyRequests, `{"message":"too many requests"}`, header...)
}

// Exhausted answers 403 with a used-up quota until reset.
func Exhausted(limit int, reset time.Time) Fault {
	return Status(http.StatusForbidden, `{"message":"API rate limit exceeded"}`,
		"X-RateLimit-Limit", strconv.Itoa(limit), "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
}

// Reset cuts the connection without an answer.
func Reset() Fault {
	return func(*Env, http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }
}

// Slow sends half of the provider's answer, waits, and sends the rest.
func Slow(d time.Duration) Fault {
	return func(e *Env, w http.ResponseWriter, r *http.Request, next http.Handler) {
		status, header, body := record(next, r)
		relay(w, header, "Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		half := len(body) / 2
		_, _ = w.Write(body[:half])
		_ = http.NewResponseController(w).Flush()
		if e.Sleep != nil {
			e.Sleep(r.Context(), d)
		}
		_, _ = w.Write(body[half:])
	}
}

// Truncated promises the provider's whole answer and sends half of it.
func Truncated() Fault {
	return func(_ *Env, w http.ResponseWriter, r *http.Request, next http.Handler) {
		status, header, body := record(next, r)
		relay(w, header, "Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write(body[:len(body)/2])
	}
}

// ContentType sends the provider's answer under another content type.
func ContentType(kind string) Fault {
	return func(_ *Env, w http.ResponseWriter, r *http.Request, next http.Handler) {
		status, header, body := record(next, r)
		relay(w, header, "Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
}

// Body sends the provider's body after change: broken JSON, or fields of undocumented
// types.
func Body(change func([]byte) []byte) Fault {
	return func(_ *Env, w http.ResponseWriter, r *http.Request, next http.Handler) {
		status, header, body := record(next, r)
		relay(w, header)
		w.WriteHeader(status)
		_, _ = w.Write(change(body))
	}
}

// BrokenJSON sends the first half of the provider's body as if it were all.
func BrokenJSON() Fault { return Body(func(b []byte) []byte { return b[:len(b)/2] }) }

// Replace is Body with old replaced by text, everywhere.
func Replace(old, text string) Fault {
	return Body(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(old), []byte(text)) })
}

// Header sends the provider's answer with other headers; an empty value takes
// one away.
func Header(header ...string) Fault {
	return func(_ *Env, w http.ResponseWriter, r *http.Request, next http.Handler) {
		status, from, body := record(next, r)
		relay(w, from, header...)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
}

// record asks the provider for its answer.
func record(next http.Handler, r *http.Request) (status int, header http.Header, body []byte) {
	rec := httptest.NewRecorder()
	next.ServeHTTP(rec, r)
	return rec.Code, rec.Header(), rec.Body.Bytes()
}

// relay copies headers, and sets more.
func relay(w http.ResponseWriter, from http.Header, more ...string) {
	maps.Copy(w.Header(), from)
	w.Header().Del("Content-Length")
	set(w.Header(), more)
}

func set(h http.Header, pairs []string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			h.Del(pairs[i])
			continue
		}
		h.Set(pairs[i], pairs[i+1])
	}
}
