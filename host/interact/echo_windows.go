package interact

import "golang.org/x/sys/windows"

// HideTyping turns a console's echo off: see the version for other systems.
func HideTyping(fd int) error {
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(fd), &mode); err != nil {
		return err
	}
	return windows.SetConsoleMode(windows.Handle(fd), mode&^windows.ENABLE_ECHO_INPUT)
}
