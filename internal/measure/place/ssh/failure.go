package ssh

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// offending matches the line of ssh's warning that names the file with the known key.
var offending = regexp.MustCompile(`key in (\S+):\d+`)

// lost matches ssh's messages about a connection that was established and then lost.
var lost = regexp.MustCompile(`closed by remote host|not responding|Broken pipe|Connection reset`)

// longest is how many bytes of ssh's output are repeated: the end, which has the reason.
const longest = 500

// failure turns ssh's output when it could not connect, or lost the connection, into an error message with
// a hint.
func failure(host, said string) error {
	message, hint := "ssh to "+host+" failed: ", "this must work without a question: ssh -o BatchMode=yes "+safetext.ShellWord(host)+" true"
	switch {
	case strings.Contains(said, "IDENTIFICATION HAS CHANGED"):
		// ssh's own warning fills a screen.
		message += "its key is not the one that is known for it"
		if m := offending.FindStringSubmatch(said); m != nil {
			message += " in " + m[1]
		}
		return model.BrokenError(message+": somebody may be in between, or the host was installed anew",
			"if it was installed anew, forget the old key (ssh-keygen -R with its name) and accept the new one: ssh "+safetext.ShellWord(host)+" true")
	case strings.Contains(said, "Host key verification failed"):
		hint = fmt.Sprintf("its key is not known here: connect once by hand and accept it: ssh %s true", safetext.ShellWord(host))
	case lost.MatchString(said) && !strings.Contains(said, "kex_exchange"):
		return model.BrokenError("the connection to "+host+" was lost: "+said, "see whether the host still runs (ssh "+safetext.ShellWord(host)+" uptime), and measure again")
	case strings.Contains(said, "Permission denied"):
		hint = fmt.Sprintf("it does not accept your key: ssh-copy-id %s; then this must work without a question: ssh -o BatchMode=yes %s true", safetext.ShellWord(host), safetext.ShellWord(host))
	}
	if len(said) > longest {
		said = "… " + said[len(said)-longest:]
	}
	return model.BrokenError(message+said, hint)
}
