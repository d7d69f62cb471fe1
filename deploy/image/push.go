package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	containers "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// made is the image of one architecture.
type made struct {
	arch, licences string
	image          containers.Image
	// archive is the file that it was written to.
	archive string
}

// destination returns where "make image PUSH=registry.example/loadline" pushes to: the repository
// with the tag of the version, unless a tag is given.
func destination(push, version string) (name.Tag, error) {
	text := push
	if last := push[strings.LastIndex(push, "/")+1:]; !strings.Contains(last, ":") {
		text += ":" + tagFor(version)
	}
	tag, err := name.NewTag(text, name.StrictValidation)
	if err != nil {
		return tag, fmt.Errorf("%q is not a place to push to: %w; write it like registry.example/loadline", push, err)
	}
	return tag, nil
}

// push sends the images of all architectures under one name, from which every node takes
// its own. It authenticates with the credentials that docker login and podman login have
// stored. It returns the name with the digest, which no later push changes.
func push(ctx context.Context, to name.Tag, all []made, out io.Writer) (string, error) {
	var index containers.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, m := range all {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: m.image, Descriptor: containers.Descriptor{
			Platform:    &containers.Platform{Architecture: m.arch, OS: "linux"},
			Annotations: map[string]string{"org.opencontainers.image.licenses": m.licences},
		}})
	}
	digest, err := index.Digest()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(out, "pushing to %s\n", to)
	if err := remote.WriteIndex(to, index, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return "", fmt.Errorf("%s does not take the image: %w; log in first (docker login, podman login), and check that you may push there", to.Repository, err)
	}
	return to.Name() + "@" + digest.String(), nil
}
