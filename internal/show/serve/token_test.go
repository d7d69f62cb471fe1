package serve

import (
	"net"
	"strings"
	"testing"
)

func TestTokensAreAskedForWhereOthersCanConnect(t *testing.T) {
	const good = "sixteen-characters"
	for _, c := range []struct {
		asked              string
		loopback, terminal bool
		token, refusal     string
	}{
		{"", true, false, "", ""},
		{"", false, true, "", "without authentication"},
		{good, false, false, good, ""},
		{"short", true, false, "", "too weak"},
		{" " + good, true, false, "", "too weak"},
		{"auto", false, false, "", "there is none"},
	} {
		token, made, err := chooseToken(c.asked, "0.0.0.0:80", c.loopback, c.terminal)
		if token != c.token || made || (err == nil) != (c.refusal == "") || err != nil && !strings.Contains(err.Error(), c.refusal) {
			t.Errorf("%+v: %q, %v, %v", c, token, made, err)
		}
	}
	token, made, err := chooseToken("auto", "0.0.0.0:80", false, true)
	if len(token) < shortestToken || !made || err != nil {
		t.Errorf("auto: %q, %v, %v", token, made, err)
	}
}

func TestAddressNamesWhatABrowserCanOpen(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if at := address(ln, []string{"proxy.example"}); at != "http://"+ln.Addr().String()+"/" {
		t.Errorf("a loopback: %s", at)
	}
	all, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	if at := address(all, []string{"proxy.example"}); !strings.HasPrefix(at, "http://proxy.example:") {
		t.Errorf("all addresses, behind a proxy: %s", at)
	}
	if at := address(all, nil); strings.Contains(at, "[::]") || strings.Contains(at, "0.0.0.0") {
		t.Errorf("all addresses: %s", at)
	}
}
