package kubetest

import (
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/gorilla/websocket"
)

// Streams are the standard streams of a program run by an exec.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// The channels of v5.channel.k8s.io: the first byte of each message.
const (
	stdin, stdout, stderr, failed, closed = 0, 1, 2, 3, 255
)

// serveExec connects a program's streams to a websocket until the program ends.
func serveExec(w http.ResponseWriter, r *http.Request, run func(Streams) error) {
	up := websocket.Upgrader{Subprotocols: []string{"v5.channel.k8s.io"}}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	var sending sync.Mutex
	to := func(channel byte) io.Writer { return &message{conn: conn, channel: channel, mu: &sending} }
	in, input := io.Pipe()
	// Input that the program has not read is discarded when it ends.
	defer in.Close()
	go func() {
		defer input.Close()
		for {
			_, data, err := conn.ReadMessage()
			if err != nil || len(data) > 1 && data[0] == closed {
				return
			}
			if len(data) > 0 && data[0] == stdin {
				if _, err := input.Write(data[1:]); err != nil {
					return
				}
			}
		}
	}()
	status := `{"status":"Success"}`
	if err := run(Streams{In: in, Out: to(stdout), Err: to(stderr)}); err != nil {
		status = fmt.Sprintf(`{"status":"Failure","message":%q}`, err)
	}
	_, _ = io.WriteString(to(failed), status)
}

// message sends whatever is written to it as messages of one channel.
type message struct {
	conn    *websocket.Conn
	channel byte
	mu      *sync.Mutex
}

func (m *message) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(p), m.conn.WriteMessage(websocket.BinaryMessage, append([]byte{m.channel}, p...))
}
