// Package kbench contains manifests as Kbench's users have them: the three that Kbench
// publishes, and the StatefulSets of Longhorn's reference report. They are test data
// first and examples second.
//
// Its assumptions: "only the image changes" is a promise about manifests, so the promise is
// tested on manifests, decoded and mapped to what would be measured here, and run on
// a cluster if there is one.
package kbench

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed fio.yaml
var single string

//go:embed fio-cmp.yaml
var comparison string

//go:embed fio-long-run.yaml
var longRun string

//go:embed chapters.txt
var chapters string

// ourImage is the placeholder in the manifests for the image that replaces Kbench's.
const ourImage = "loadline-kbench:VERSION"

// Manifests returns all manifests by name: Kbench's as "fio", "fio-cmp" and
// "fio-long-run", those of the report by mode, class and rate, such as
// "random-read-iops longhorn RATE_IOPS=617".
func Manifests(image string) map[string]string {
	all := map[string]string{"fio": single, "fio-cmp": comparison, "fio-long-run": longRun}
	for _, name := range Chapters() {
		all[name] = chapter(strings.Fields(name))
	}
	for name, text := range all {
		all[name] = strings.ReplaceAll(text, ourImage, image)
	}
	return all
}

// Chapters returns the names of the report's manifests, in its order.
func Chapters() []string {
	var names []string
	for line := range strings.Lines(chapters) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			names = append(names, line)
		}
	}
	return names
}

// chapter adapts the long run to the report, which has no ServiceMonitor.
func chapter(fields []string) string {
	mode, class := fields[0], fields[1]
	test := "read-only"
	if strings.Contains(mode, "write") {
		test = "write-only"
	}
	text, _, _ := strings.Cut(longRun, "---\napiVersion: monitoring.coreos.com")
	text = strings.NewReplacer("value: random-read-iops", "value: "+mode, "storageClassName: local-path", "storageClassName: "+class,
		"value: read-only", "value: "+test).Replace(text)
	if len(fields) < 3 {
		return text
	}
	variable, value, _ := strings.Cut(fields[2], "=")
	text = strings.Replace(text, "value: no-rate-limit", "value: rate-limit", 1)
	const after = "            - name: LONG_RUN\n              value: \"true\"\n"
	return strings.Replace(text, after, after+fmt.Sprintf("            - name: %s\n              value: %q\n", variable, value), 1)
}
