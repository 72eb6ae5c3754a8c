package exports

import (
	"io/fs"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
)

// Folder is the granted folder with its archives.
type Folder struct {
	Root  fs.FS
	Files []archive.File // by name
}

// Open looks into the granted folder. Its error is a *sdk.Failure with the code
// <root>_folder_missing or directory_read_failed. A folder without an archive is told as
// archive_not_found.
func Open(h *sdk.Host, root string) (*Folder, error) {
	fsys, ok := h.Root(root)
	if !ok {
		return nil, &sdk.Failure{Code: root + "_folder_missing", Message: "the folder with the archives was not granted", Hint: "manual_action_required"}
	}
	files, err := archive.Folder(fsys)
	if err != nil {
		return nil, &sdk.Failure{
			Code: "directory_read_failed", Message: "the folder with the archives cannot be read", Retryable: true,
			Hint: "manual_action_required", Err: err,
		}
	}
	if len(files) == 0 {
		err = h.Skip(abi.SkipResult{
			Reason: "archive_not_found", Message: "the folder has no archive (zip or tgz)", RecoveryHint: abi.Raw(`"not_retriable"`),
		})
	}
	return &Folder{Root: fsys, Files: files}, err
}
