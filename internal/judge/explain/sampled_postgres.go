package explain

import (
	"strings"

	"github.com/loadline/loadline/internal/model/waits"
)

// postgresStates are the server's names that belong to a state, in lower case: version 17 spells them
// differently from its predecessors ("WALSync", "WalSync"). The manual, "Wait Events".
var postgresStates = map[string]state{
	waits.None:        inNothing,
	"io:walsync":      inOwnFlush,
	"lwlock:walwrite": inOthersFlush,
	"io:walwrite":     inWrite, "io:walinitwrite": inWrite, "io:walinitsync": inWrite,
	"io:datafileread": inRead, "io:datafileprefetch": inRead,
	// From version 18 on, other processes may read for a session, which waits for them.
	"io:aioiocompletion": inRead, "io:aiouringsubmit": inRead, "io:aiouringexecution": inRead, "lwlock:aiouringcompletion": inRead, "ipc:bufferio": inRead, "lwlock:bufferio": inRead,
}

// postgresState is the state that a name of PostgreSQL belongs to.
func postgresState(name string) state {
	small := strings.ToLower(name)
	if s, known := postgresStates[small]; known {
		return s
	}
	kind, _, _ := strings.Cut(small, ":")
	switch kind {
	case "client":
		return inClient
	case "lock":
		return inLock
	case "lwlock", "bufferpin", "buffer":
		return inLatch
	}
	return inOther
}
