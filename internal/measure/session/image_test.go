package session

import "testing"

func TestImageOfAVersion(t *testing.T) {
	const digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for version, want := range map[string]string{
		"1.2.3":      "loadline/loadline:1.2.3",
		"v1.20.3":    "loadline/loadline:v1.20.3",
		"1.2.3-rc.1": "loadline/loadline:1.2.3-rc.1",
		"v2.0.0-rc2": "loadline/loadline:v2.0.0-rc2",
	} {
		if got, released := releasedImage(version, ""); got != want || !released {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
		if got, _ := releasedImage(version, digest); got != want+"@"+digest {
			t.Errorf("%s: %q has no digest", version, got)
		}
	}
	for _, version := range []string{"", "dev", "unknown", "latest", "987988d", "987988d-dirty", "v1.2.3-dirty", "v1.2.3-4-g987988d", "v1.2.3-4-g987988d-dirty",
		"v1.2.3-rc.1-4-g987988d", "1.2", "1.2.3\n", "1.2.3@sha256:x"} {
		if got, released := releasedImage(version, digest); got != "" || released {
			t.Errorf("%q is no release, but has the image %q", version, got)
		}
	}
}
