package replay

import "github.com/pdpp-host/pdpp-host/abi"

// The codes of this package's errors.
const (
	CodeInvalid    abi.Code = "recording.invalid"       // the file is no recording, or breaks a rule of its format
	CodeIncomplete abi.Code = "recording.incomplete"    // it has no end: the run was stopped, or could not be recorded to its end
	CodeExists     abi.Code = "recording.exists"        // there is such a file already
	CodeFiles      abi.Code = "recording.files_granted" // the run may read files, which no recording holds
	CodeTooLarge   abi.Code = "limit.recording"         // the recording takes more than it may
	CodeDiffers    abi.Code = "replay.differs"          // the guest does not do what it did
)

func incomplete(detail string) error {
	return abi.NewError(CodeIncomplete, "the recording is not whole", "record the run again, to its end").WithDetail(detail)
}

// FilesGranted is the refusal to record a run that was granted folders.
func FilesGranted() error {
	return abi.NewError(CodeFiles, "a run that reads files cannot be recorded",
		"a recording holds what passes through calls, and files do not; record without folders")
}
