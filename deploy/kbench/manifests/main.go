// Command manifests prints the StatefulSets of Longhorn's reference report, each made
// distinct by a number, as one stream for kubectl: for i in 1 to 32 the set,
// its Service and its label are test-sts-i.
//
//	go run ./deploy/kbench/manifests -image registry.example/loadline-kbench:1.2.3 | kubectl apply -f -
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/loadline/loadline/deploy/kbench"
)

func main() {
	image := flag.String("image", "", "the image in the place of Kbench's: `name:version`")
	flag.Parse()
	if *image == "" {
		fmt.Fprintln(os.Stderr, "manifests: no image is named: build one (deploy/image/README.md) and give -image NAME:VERSION")
		os.Exit(2)
	}
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "manifests takes no arguments, not %q: cut what you need out of what it prints\n", flag.Args())
		os.Exit(2)
	}
	all := kbench.Manifests(*image)
	for i, name := range kbench.Chapters() {
		fmt.Printf("---\n# %s\n%s", name, strings.ReplaceAll(all[name], "test-sts", fmt.Sprintf("test-sts-%d", i+1)))
	}
}
