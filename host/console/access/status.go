package access

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/web"
)

func statusOf(err error) int { return web.Status(abi.CodeOf(err)) }
