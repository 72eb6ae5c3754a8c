package replay

import "github.com/pdpp-host/pdpp-host/abi"

// The codes of this package's errors.
const (
	CodeInvalid    abi.Code = "recording.invalid"       // not a recording, or one that breaks the format
	CodeIncomplete abi.Code = "recording.incomplete"    // without an end: the run was stopped, or could not be recorded completely
	CodeExists     abi.Code = "recording.exists"        // the file exists already
	CodeFiles      abi.Code = "recording.files_granted" // the run may read files, which a recording does not contain
	CodeTooLarge   abi.Code = "limit.recording"         // the recording exceeds its maximum size
	CodeDiffers    abi.Code = "replay.differs"          // the guest behaves differently from the recording
)

func incomplete(detail string) error {
	return abi.NewError(CodeIncomplete, "the recording is incomplete", "record the run again, to its end").WithDetail(detail)
}

// FilesGranted returns the refusal to record a run that was granted folders.
func FilesGranted() error {
	return abi.NewError(CodeFiles, "a run that reads files cannot be recorded",
		"a recording holds what passes through calls, and files do not; record without folders")
}
