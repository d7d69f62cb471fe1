// Package secrets masks credentials (passwords, tokens, keys) in everything that is recorded or
// printed.
//
// Its assumptions: a report is sent to people unknown to its author, so a value is masked if it may be
// a secret, and its name is kept to show what was masked.
package secrets

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// Secrets are masked where something is recorded or printed, because reports are passed on to people
// who must not have the password. A secret is replaced by the word for it in capitals, so that a
// command that is typed again shows what to fill in.

// secretWord matches the part of a name that marks it as secret.
const secretWord = `(?:passwords?|passwd|passphrase|secrets?|tokens?|api[-_]?keys?|access[-_]?keys?|private[-_]?keys?|credentials?)`

var (
	// userinfo matches the user and password of a URI; the password ends at the last @ before the path.
	// In a JSON document its & is written \u0026.
	userinfo = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@?#"'\\]*):(?:[^\s/?#"\\]|\\u0026)+@`)
	// login matches user:password@host without a scheme.
	login = regexp.MustCompile(`([A-Za-z_][\w.-]*):([^\s:@/,;"'\\]+)@([\w.-]+)`)
	// setting matches key=value in a query, an environment or a list.
	setting = regexp.MustCompile(`(?i)([\w./-]*` + secretWord + `[\w.-]*|\b(?:[\w./-]*[_.-])?pass|\b[\w./-]*[_.-]pwd)=(` + quoted + `|[^\s&;,:"'\\]+)`)
	// flag matches --key value in a command within a command, header the value of a header.
	flag   = regexp.MustCompile(`(?i)(--?[\w-]*` + secretWord + `)(\s+)(` + quoted + `|[^\s"'\\-][^\s"'\\]*)`)
	header = regexp.MustCompile(`(?i)\b([\w-]*(?:` + secretWord + `|authorization))(\s*:\s*)((?:bearer|basic|digest|token)\s+)?([^\s"'\\{}\[\],]+)`)
	// member matches "key":"value" of JSON text in a command, memberQuoted the same within quotation
	// marks.
	member       = regexp.MustCompile(`(?i)("[\w.-]*(?:` + secretWord + `|pwd|key)")(\s*:\s*")(?:[^"\\]|\\.)*(")`)
	memberQuoted = regexp.MustCompile(`(?i)(\\"[\w.-]*(?:` + secretWord + `|pwd|key)\\")(\s*:\s*\\")(?:[^"\\]|\\\\.)*(\\")`)
	// bearer matches a token without its header's name.
	bearer = regexp.MustCompile(`(?i)\b(bearer\s+)([\w.~+/-]{8,}=*)`)
	// piped matches a password passed to sudo on standard input.
	piped = regexp.MustCompile(`(\b(?:echo|printf)\s+)(?:'[^']*'|"[^"]*"|[^|;&\n'"])+?(\s*\|\s*sudo\s(?:[^|;&\n]*\s)?(?:-[A-Za-z]*S\b|--stdin\b))`)
	// ceph matches the name of an RBD image, which may contain credentials.
	ceph        = regexp.MustCompile(`\brbd:[^\s"'\\]+`)
	cephSetting = regexp.MustCompile(`([:?&])(id|user|name|key|keyring|keyfile)=([^:&]+)`)
)

// quoted matches a value in quotation marks, which may contain spaces.
const quoted = `"[^"]*"|'[^']*'|\\"[^"\\]*\\"`

// value matches the value of a flag.
const value = `(?:` + quoted + `|[^\s"'\\]+)`

// tool is a program with a one-letter password flag, which means something else for other programs.
type tool struct {
	// command matches the program with its arguments, secret the flag and its value.
	command, secret *regexp.Regexp
	stand           string
}

// newTool returns a tool, given patterns for its name and for the flag before the value.
func newTool(name, flag string) tool {
	return tool{
		command: regexp.MustCompile(`\b` + name + `\s(?:[^|;&\n]|[|;&][^\s|;&])*`),
		secret:  regexp.MustCompile(`(\s` + flag + `)` + value),
		stand:   "${1}PASSWORD",
	}
}

// curlUser matches what precedes the user and password for curl.
const curlUser = `(?:-[A-Za-z]*[uU]|--user|--proxy-user)[\s=]*`

var tools = []tool{
	newTool(`ipmitool`, `-P\s*`), {regexp.MustCompile(`\bsshpass(?:\s+-[^\sp]\S*)*\s+-p\s*` + value), regexp.MustCompile(`(\s-p\s*)` + value), "${1}PASSWORD"}, newTool(`fence_\w+`, `-p\s*`), newTool(`redis-cli`, `(?:-a|--pass)\s+`),
	// With a space after -p these programs prompt, and the next word is a database.
	newTool(`(?:mysql|mariadb)[\w-]*`, `-p`),
	newTool(`curl`, curlUser+`'[^\s:']*:`).until(`'`), newTool(`curl`, curlUser+`\\?"[^\s:"]*:`).until(`"\\`), newTool(`curl`, curlUser+`[^\s:"'\\]*:`),
}

// until returns the tool with a value that ends before the given closing quotation mark.
func (t tool) until(mark string) tool {
	flag := strings.TrimSuffix(t.secret.String(), value)
	t.secret = regexp.MustCompile(flag + `[^` + mark + `]+`)
	return t
}

// mask masks the secrets in the tool's commands in a text.
func (t tool) mask(s string) string {
	return t.command.ReplaceAllStringFunc(s, func(command string) string {
		return t.secret.ReplaceAllString(command, t.stand)
	})
}

// text matches a string in a JSON document.
var text = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// MaskText masks the secrets in a text, which may be a JSON document. It knows common forms and is no
// guarantee.
func MaskText(s string) string {
	if !suspicious(s) {
		return s
	}
	if !strings.HasPrefix(strings.TrimSpace(s), "{") || !json.Valid([]byte(s)) {
		return maskPlain(s)
	}
	// Each string separately: a quotation within it must not extend beyond its end.
	return text.ReplaceAllStringFunc(s, func(found string) string {
		var plain string
		if !suspicious(found) || json.Unmarshal([]byte(found), &plain) != nil {
			return found
		}
		masked := maskPlain(plain)
		data, err := json.Marshal(masked)
		if masked == plain || err != nil {
			return found
		}
		return string(data)
	})
}

// maskPlain masks the secrets in a text that is not a JSON document.
func maskPlain(s string) string {
	s = userinfo.ReplaceAllString(s, "$1:PASSWORD@")
	s = login.ReplaceAllStringFunc(s, func(found string) string {
		m := login.FindStringSubmatch(found)
		if strings.HasPrefix(m[3], "sha256") || strings.HasPrefix(m[3], "sha512") {
			// The digest of an image.
			return found
		}
		return m[1] + ":PASSWORD@" + m[3]
	})
	s = ceph.ReplaceAllStringFunc(s, func(name string) string {
		return cephSetting.ReplaceAllStringFunc(name, func(set string) string {
			m := cephSetting.FindStringSubmatch(set)
			return m[1] + m[2] + "=" + strings.ToUpper(m[2])
		})
	})
	for _, t := range tools {
		s = t.mask(s)
	}
	s = piped.ReplaceAllString(s, "${1}PASSWORD${2}")
	for _, form := range []*regexp.Regexp{member, memberQuoted} {
		s = form.ReplaceAllStringFunc(s, func(found string) string {
			m := form.FindStringSubmatch(found)
			key := strings.Trim(m[1], `"\`)
			if onlyName(key) {
				return found
			}
			return m[1] + m[2] + placeholder(key) + m[3]
		})
	}
	s = setting.ReplaceAllStringFunc(s, func(found string) string {
		m := setting.FindStringSubmatch(found)
		if onlyName(m[1]) {
			return found
		}
		return m[1] + "=" + placeholder(m[1])
	})
	s = flag.ReplaceAllStringFunc(s, func(found string) string {
		m := flag.FindStringSubmatch(found)
		// After a tool's one-letter flag the value is masked already, and what follows does not belong
		// to it.
		if onlyName(m[1]) || m[1] == "-pPASSWORD" || m[1] == "-PPASSWORD" {
			return found
		}
		return m[1] + m[2] + placeholder(m[1])
	})
	s = maskHeaders(s)
	return bearer.ReplaceAllString(s, "${1}TOKEN")
}

// position matches what follows the name of a file in a message: a line and a column.
var position = regexp.MustCompile(`^\d{1,7}:\d{1,5}:$`)

// maskHeaders masks the values of headers. A position in a file that is named like a secret, such as /etc/passwd:3:1:, is none.
func maskHeaders(s string) string {
	var out strings.Builder
	last := 0
	for _, at := range header.FindAllStringSubmatchIndex(s, -1) {
		key, between, value := s[at[2]:at[3]], s[at[4]:at[5]], s[at[8]:at[9]]
		if onlyName(key) || between == ":" && position.MatchString(value) {
			continue
		}
		out.WriteString(s[last:at[8]])
		out.WriteString(placeholder(key))
		last = at[9]
	}
	out.WriteString(s[last:])
	return out.String()
}

// suspicious is a quick check whether a text may contain a secret: most are numbers.
func suspicious(s string) bool {
	if strings.Contains(s, "@") || strings.Contains(s, "rbd:") {
		return true
	}
	low := strings.ToLower(s)
	for _, word := range []string{"pass", "secret", "token", "key", "credential", "authorization", "bearer", "ipmitool", "curl", "pwd", "mysql", "mariadb", "redis-cli", "fence_", "sudo"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

// onlyName reports whether a key refers to a secret without containing one, like --pull-secret and
// csi.storage.k8s.io/provisioner-secret-name.
func onlyName(key string) bool {
	low := strings.ToLower(strings.TrimLeft(key, "-"))
	for _, end := range []string{"name", "namespace", "ref", "size", "type", "path", "pull-secret", "pull_secret"} {
		if strings.HasSuffix(low, end) {
			return true
		}
	}
	return false
}

// placeholder returns the replacement for a secret with that key.
func placeholder(key string) string {
	low := strings.ToLower(key)
	switch {
	case strings.Contains(low, "pass"), strings.Contains(low, "pwd"):
		return "PASSWORD"
	case strings.Contains(low, "token"), strings.Contains(low, "authorization"):
		return "TOKEN"
	case strings.Contains(low, "key"):
		return "KEY"
	}
	return "SECRET"
}

// secretFlags matches flags of any program whose entire value is secret.
var secretFlags = regexp.MustCompile(`(?i)^--?[\w-]*` + secretWord + `$`)

// MaskCommand masks the secrets in a command line. The result is still a command line.
func MaskCommand(args []string) []string {
	masked := make([]string, len(args))
	for i, a := range args {
		if i > 0 && secretFlags.MatchString(args[i-1]) && !onlyName(args[i-1]) && !strings.HasPrefix(a, "-") {
			masked[i] = placeholder(args[i-1])
			continue
		}
		if name, _, ok := strings.Cut(a, "="); ok && secretFlags.MatchString(name) && !onlyName(name) {
			masked[i] = name + "=" + placeholder(name)
			continue
		}
		masked[i] = maskPlain(a)
	}
	return masked
}

// secretKey matches the parameters of a StorageClass or a volume whose value is secret.
var secretKey = regexp.MustCompile(`(?i)secret|password|passwd|passphrase|token|key|credential`)

// MaskParameters masks the values of parameters whose names mark them as secret.
func MaskParameters(parameters map[string]string) map[string]string {
	if parameters == nil {
		return nil
	}
	masked := make(map[string]string, len(parameters))
	for key, value := range parameters {
		if masked[key] = MaskText(value); value != "" && secretKey.MatchString(key) && !onlyName(key) {
			masked[key] = placeholder(key)
		}
	}
	return masked
}

// MaskEnvironment masks the secrets in a cluster's description of a volume and its class.
func MaskEnvironment(e model.Environment) model.Environment {
	if e.Cluster == nil {
		return e
	}
	c := *e.Cluster
	c.Parameters, c.Attributes = MaskParameters(c.Parameters), MaskParameters(c.Attributes)
	e.Cluster = &c
	return e
}

// Masked returns a copy of a value that can be marshalled as JSON, without its secrets.
func Masked[T any](v T) T {
	var copied T
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal([]byte(MaskText(string(data))), &copied)
	}
	if err != nil {
		// A value that cannot be marshalled is not shown either.
		var none T
		return none
	}
	return copied
}
