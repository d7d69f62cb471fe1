package nbd

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseURI(t *testing.T) {
	for uri, want := range map[string]Address{
		"nbd+unix:///vol?socket=/run/s":      {"unix", "/run/s", "vol"},
		"nbd+unix:///?socket=/run/s":         {"unix", "/run/s", ""},
		"nbd+unix:///a%20b?socket=/run/a%3F": {"unix", "/run/a?", "a b"},
		"nbd://localhost/vol":                {"tcp", "localhost:10809", "vol"},
		"nbd://[::1]:99/":                    {"tcp", "[::1]:99", ""},
		"nbd://h":                            {"tcp", "h:10809", ""},
		"nbd+unix:////vol?socket=/s":         {"unix", "/s", "/vol"},
	} {
		got, err := ParseURI(uri)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", uri, err, diff)
		}
	}
	for _, uri := range []string{"nbd:///vol", "nbd+unix:///vol", "nbds://h/vol", "http://h/", "nbd://h:port/", ""} {
		if a, err := ParseURI(uri); err == nil {
			t.Errorf("%q was taken for %v", uri, a)
		}
	}
}

func TestFlagsInWords(t *testing.T) {
	if got := (HasFlags | CanFlush | CanFUA | MultiConn).String(); got != "flush fua multi-conn" {
		t.Errorf("got %q", got)
	}
}

// speak listens on a socket, sends the bytes to each connection, then closes its sending side, or
// stays silent if linger is set.
func speak(t interface {
	TempDir() string
	Cleanup(func())
	Fatal(...any)
}, answer []byte, linger bool) string {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		close(done)
		_ = l.Close()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write(answer)
			if linger {
				<-done
			} else if u, ok := c.(*net.UnixConn); ok {
				_ = u.CloseWrite()
			}
			go func() {
				<-done
				_ = c.Close()
			}()
		}
	}()
	return "nbd+unix:///vol?socket=" + l.Addr().String()
}

// greeting returns the first bytes that a server sends; reply appends a reply to NBD_OPT_GO.
func greeting() []byte {
	b := binary.BigEndian.AppendUint64(nil, magicInit)
	b = binary.BigEndian.AppendUint64(b, magicOption)
	return binary.BigEndian.AppendUint16(b, flagFixedNewstyle)
}

func reply(b []byte, kind uint32, data []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, magicReply)
	b = binary.BigEndian.AppendUint32(b, optGo)
	b = binary.BigEndian.AppendUint32(b, kind)
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	return append(b, data...)
}

func TestOddServers(t *testing.T) {
	tooLong := binary.BigEndian.AppendUint32(reply(greeting(), repAck, nil)[:18+16], 1<<31)
	huge := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint16(nil, infoExport), 1<<63)
	for name, c := range map[string]struct {
		answer []byte
		want   string
	}{
		"silence":      {nil, "hung up"},
		"another":      {[]byte("SSH-2.0-OpenSSH_9.2p1\r\n"), "does not speak NBD"},
		"old style":    {append(greeting()[:8], 0, 0, 0x42, 2, 0x81, 0x86, 0x12, 0x53, 0, 0), "old style"},
		"torn":         {greeting(), "hung up during negotiation"},
		"no size":      {reply(greeting(), repAck, nil), "without telling its size"},
		"wrong magic":  {append(greeting(), make([]byte, 20)...), "is not NBD"},
		"too long":     {tooLong, "too long"},
		"huge":         {reply(greeting(), repInfo, append(huge, 0, 1)), "impossible size"},
		"odd reply":    {reply(greeting(), 99, nil), "unexpected answer"},
		"policy":       {reply(greeting(), repErrPolicy, nil), "policy"},
		"in its words": {reply(greeting(), repErrPolicy, []byte("not today")), "not today"},
		"without go":   {reply(greeting(), repErrUnsup, nil), "does not know this request"},
		"odd bs": {reply(greeting(), repInfo, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(
			binary.BigEndian.AppendUint16(nil, infoBlockSize), 3), 4096), 1<<20)), "impossible block sizes: 3 to"},
		"impossible bs": {reply(greeting(), repInfo, append(binary.BigEndian.AppendUint16(nil, infoBlockSize), make([]byte, 12)...)), "impossible block sizes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Dial(t.Context(), speak(t, c.answer, false))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestRubbishNeverHangsOrPanics(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		answer := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(rt, "answer")
		if rapid.Bool().Draw(rt, "greets") {
			answer = append(greeting(), answer...)
		}
		server, client := net.Pipe()
		go func() {
			go func() { // read what the client sends
				b := make([]byte, 512)
				for {
					if _, err := server.Read(b); err != nil {
						return
					}
				}
			}()
			_, _ = server.Write(answer)
			_ = server.Close()
		}()
		c := newConn(client)
		defer client.Close()
		if err := c.greet(); err == nil {
			if err := c.goExport("x"); err == nil && c.Size < 0 {
				rt.Fatalf("size %d", c.Size)
			}
		}
	})
}

func TestSilentServerEndsWithTheContext(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("dial", func(t *testing.T) {
		uri := speak(t, greeting(), true)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		if _, err := Dial(ctx, uri); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines were left behind", runtime.NumGoroutine()-before)
		}
	}
}
