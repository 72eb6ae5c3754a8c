package site

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// These bound the fields before the file of an upload: their number, and the bytes of each.
const (
	mostFields = 8
	mostField  = 4 << 10
)

// Upload is a file that a form sends.
type Upload struct {
	Fields map[string]string // the form's fields that stand before the file
	File   io.Reader
}

// Upload returns the file of the form's field of that name, which is read as it comes: no
// more than the operation takes of it is ever held, and nothing of it lies on a disk. The
// whole form has at most so many bytes beside the fields.
func (v *Visit) Upload(name string, most int64) (*Upload, error) {
	v.R.Body = http.MaxBytesReader(v.W, v.body, most+mostForm)
	form, err := v.R.MultipartReader()
	if err != nil {
		return nil, noFile(err)
	}
	u := &Upload{Fields: map[string]string{}}
	for range mostFields {
		part, err := form.NextPart()
		if err != nil {
			return nil, noFile(err)
		}
		if part.FormName() == name && part.FileName() != "" {
			u.File = part
			return u, nil
		}
		if u.Fields[part.FormName()], err = field(part); err != nil {
			return nil, noFile(err)
		}
	}
	return nil, noFile(nil)
}

func field(part *multipart.Part) (string, error) {
	b, err := io.ReadAll(io.LimitReader(part, mostField+1))
	if err == nil && len(b) > mostField {
		err = errors.New("a field is too long")
	}
	return string(b), err
}

func noFile(err error) error {
	return abi.NewError(abi.CodeUsage, words.NoFile, words.NoFileHint).Wrap(err)
}
