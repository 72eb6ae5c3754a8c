package wire

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
)

// List is one page of a list (RD-06).
type List[T any] struct {
	Object     string `json:"object"` // list
	Data       []T    `json:"data"`
	HasMore    bool   `json:"has_more"`
	NextCursor string `json:"next_cursor,omitempty"` // absent on the last page
	Links      Links  `json:"links"`
	Meta       Meta   `json:"meta"`
}

// Links are where a page is, and the one after it.
type Links struct {
	Self string  `json:"self"`
	Next *string `json:"next"` // null: it is the last one
}

// Meta is what a reader should know about a page.
type Meta struct {
	Count    Count     `json:"count"`
	Window   *Window   `json:"window,omitempty"`
	Warnings []Warning `json:"warnings"`
}

// Window says how many records there are, and of which times (RD-19).
type Window struct {
	Total    int64  `json:"total"`
	Earliest string `json:"earliest_at,omitempty"`
	Latest   string `json:"latest_at,omitempty"`
}

// Count says how the rows of a list were counted.
type Count struct {
	Kind  string `json:"kind"` // none, estimated, exact
	Value *int64 `json:"value,omitempty"`
}

// Warning tells of something that did not change the answer's status (RD-06.1).
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`

	Param        string           `json:"param,omitempty"`
	Field        string           `json:"field,omitempty"` // of records
	ConnectionID string           `json:"connection_id,omitempty"`
	Detail       map[string]int64 `json:"detail,omitempty"`
}

// NewList returns a page. next is the cursor of the page after it, "" where there is none.
func NewList[T any](data []T, next string, at *url.URL) *List[T] {
	if data == nil {
		data = []T{}
	}
	l := &List[T]{Object: "list", Data: data, HasMore: next != "", NextCursor: next, Links: Links{Self: at.RequestURI()}}
	l.Meta = Meta{Count: Count{Kind: "none"}, Warnings: []Warning{}}
	if next != "" {
		q := at.Query()
		q.Set("cursor", next)
		link := (&url.URL{Path: at.Path, RawPath: at.RawPath, RawQuery: q.Encode()}).RequestURI()
		l.Links.Next = &link
	}
	return l
}

// cursor is where a list goes on: behind the row of a key, and not at a number of rows, so
// that it stays right when rows come and go. It belongs to one list with one choice of rows.
type cursor struct {
	List  string `json:"l"`
	After string `json:"a"`
}

// NewCursor returns the cursor of a list that goes on behind a key. list names the list and
// what chose its rows.
func NewCursor(list, after string) string {
	b, err := json.Marshal(cursor{list, after})
	if err != nil { // of two strings, it never is
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// maxCursor bounds a cursor, in bytes.
const maxCursor = 2 << 10

// After returns the key that a cursor goes on behind; "" of no cursor: from the first row
// on. A cursor of another list is refused.
func After(list, sent string) (string, error) {
	if sent == "" {
		return "", nil
	}
	var c cursor
	b, err := base64.RawURLEncoding.Strict().DecodeString(sent)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || len(sent) > maxCursor || c.List != list || c.After == "" {
		return "", &Failure{
			Status: http.StatusBadRequest, Code: CodeInvalidCursor, Param: "cursor", Message: "cursor is not one of this list",
			Hint: "send the next_cursor of the page before, with the same parameters",
		}
	}
	return c.After, nil
}
