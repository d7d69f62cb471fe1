package main

import "strings"

// tagOf is the tag of "name:tag"; a colon before a slash belongs to a port.
func tagOf(name string) string {
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		return name[i+1:]
	}
	return "latest"
}

// canonical is the full name under which Kubernetes looks for an image: a name
// without a registry is one of docker.io, and one without a folder is in its
// "library".
func canonical(name string) string {
	if strings.LastIndexByte(name, ':') <= strings.LastIndexByte(name, '/') {
		name += ":latest"
	}
	first, _, folder := strings.Cut(name, "/")
	switch {
	case !folder:
		return "docker.io/library/" + name
	case strings.ContainsAny(first, ".:") || first == "localhost":
		return name
	}
	return "docker.io/" + name
}
