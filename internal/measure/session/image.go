package session

import (
	"regexp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/worker"
	"github.com/loadline/loadline/internal/model"
)

// published is where the images of releases are published.
const published = "loadline/loadline"

// imageDigest is the digest of this release's image ("sha256:…"), set if a program is built after the
// image; empty if it is not known.
var imageDigest string

// release matches a release version. Everything else is a development build: "dev", a commit, or a tag with
// commits or changes on top.
var release = regexp.MustCompile(`^v?[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)\.?[0-9]+)?$`)

// releasedImage returns the image of exactly this version; a development build has none.
func releasedImage(version, digest string) (image string, released bool) {
	if !release.MatchString(version) {
		return "", false
	}
	image = published + ":" + version
	if digest != "" {
		image += "@" + digest
	}
	return image, true
}

// OwnImage returns the image of this program; a development build has none.
func OwnImage() (image string, released bool) { return releasedImage(worker.Version, imageDigest) }

// chosenImage returns the image that pods run. A build without its own image has none: what was published
// under a moving tag is another program, and would run with access to a claim and a secret.
func (f *Cluster) chosenImage(e *env.Env) (string, error) {
	if f.Image != "" {
		return f.Image, nil
	}
	if image := e.Getenv("LOADLINE_IMAGE"); image != "" {
		return image, nil
	}
	image, released := OwnImage()
	if !released {
		return "", model.RefusedError("this loadline is a development build ("+worker.Version+"), of which no image is published for pods to run",
			"build one from the same sources with make image, which says how it gets to kind, k3s, containerd or a registry, and name it with --image or $LOADLINE_IMAGE (deploy/image/README.md)")
	}
	return image, nil
}
