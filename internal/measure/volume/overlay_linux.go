package volume

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
)

// An overlay shows its layers by the names that it was mounted with. A relative name began in the directory that the
// mounting process was in, which the kernel does not keep. It is found by trying directories in which that process
// may well have been, and counts only if what is there has the overlay's own numbers.

// describeOverlay adds whether what an overlay has at a path, and what is written there, is in memory. If that cannot be
// told because the upper directory has a relative name, nothing leads to what holds the data.
func (k *kernel) describeOverlay(s *model.Storage, m procfs.Mount, path string) {
	chain := k.overlayInMemory(path)
	if chain != nil {
		s.Memory = true
		for _, l := range chain {
			if l.name != "" && !slices.Contains(s.DeviceChain, l.name) {
				s.DeviceChain = append(s.DeviceChain, l.name)
			}
		}
		return
	}
	upper := optionOf(m, "upperdir")
	if upper == "" || filepath.IsAbs(upper) || ofContainer(m) || slices.ContainsFunc(k.views(), func(v view) bool {
		_, ok := k.upper(v, m)
		return ok
	}) {
		return
	}
	s.Untraced = true
	s.Unseen = "the overlay at " + m.Point + " was mounted with a relative name, upperdir=" + upper + ", and no directory was found that this leads to"
}

// ofContainer reports whether an overlay is the root directory of a container: its layers are names on the host, relative ones if
// there are many, and never lead anywhere from inside.
func ofContainer(overlay procfs.Mount) bool { return overlay.Point == "/" }

// overlayInMemory returns what holds the data of an overlay at a path, and what is written there, if all of that is
// provably in memory. All that is written goes to the upper directory; a file that nobody has written is in another
// layer until then.
func (k *kernel) overlayInMemory(path string) (chain []link) {
	p, ok := k.views()[0].lookUp(path)
	if !ok || p.Type != "overlay" {
		return nil
	}
	if optionOf(p.Mount, "upperdir") == "" { // nothing can be written
		return k.inMemory(p)
	}
	for _, v := range k.views() {
		if layer, ok := k.upper(v, p.Mount); ok && chain == nil {
			chain = k.inMemory(layer)
		}
	}
	if chain != nil && p.stat.Mode&unix.S_IFMT != unix.S_IFDIR && k.inMemory(p) == nil {
		return nil
	}
	return chain
}

// inMemory returns what holds a file or directory if that is memory, at any depth, and nothing else.
func (k *kernel) inMemory(p place) []link {
	chain := k.chainOfPlace(p, 0)
	if all, _ := memoryOf(chain); all {
		return chain
	}
	return nil
}

// upper finds in a view the directory that an overlay writes to, or the part of it that is mounted: what the overlay shows
// of its top must be what is there. Of a relative name, the directory for work in progress, which must be on the same
// mount, has to begin at the same place.
func (k *kernel) upper(v view, overlay procfs.Mount) (p place, ok bool) {
	top, ok := k.views()[0].lookUp(overlay.Point)
	if !ok || top.Major != overlay.Major || top.Minor != overlay.Minor {
		return p, false
	}
	name, work := optionOf(overlay, "upperdir"), optionOf(overlay, "workdir")
	for _, candidate := range v.candidates(overlay, name) {
		p, ok := v.lookUp(filepath.Join(candidate, overlay.Root))
		if !ok || !sameFile(top.stat, p.stat) {
			continue
		}
		if filepath.IsAbs(name) {
			return p, true
		}
		base, begins := strings.CutSuffix(candidate, forward(name))
		if w, ok := v.lookUp(filepath.Join(base, forward(work), "work")); ok && begins && !filepath.IsAbs(work) && w.Mount.ID == p.Mount.ID {
			return p, true
		}
	}
	return p, false
}

// candidates lists the absolute names that a layer of an overlay may have in a view.
func (v view) candidates(overlay procfs.Mount, layer string) (names []string) {
	if filepath.IsAbs(layer) {
		return []string{layer}
	}
	if ofContainer(overlay) {
		return nil
	}
	layer = forward(layer)
	for _, base := range v.bases(overlay, layer) {
		name := filepath.Join(base, layer)
		if _, ok := v.lookUp(name); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// forward returns a relative name without steps up at its beginning: wherever those lead, the rest begins there.
func forward(name string) string {
	name = filepath.Clean(name)
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	return name
}

// bases lists the directories in which the process may have been that mounted an overlay with a layer of a relative name:
// all above the overlay, as its mount point is mostly beside its layers, every mount point, and where the name leads
// across one.
func (v view) bases(overlay procfs.Mount, layer string) (bases []string) {
	add := func(dir string) {
		if !slices.Contains(bases, dir) {
			bases = append(bases, dir)
		}
	}
	above := func(point string) (dirs []string) {
		for dir := point; dir != "/" && filepath.IsAbs(dir); dir = filepath.Dir(dir) {
			dirs = append(dirs, filepath.Dir(dir))
		}
		return dirs
	}
	for _, m := range v.mounts {
		if m.Major == overlay.Major && m.Minor == overlay.Minor {
			for _, dir := range above(m.Point) {
				add(dir)
			}
			continue
		}
		add(m.Point)
		for _, dir := range above(m.Point) {
			if rest, _ := filepath.Rel(dir, m.Point); strings.HasPrefix(layer+"/", rest+"/") {
				add(dir)
			}
		}
	}
	return bases
}

// layers lists the absolute names that the layers of an overlay may have in a view, the topmost first.
func (v view) layers(overlay procfs.Mount) (names []string) {
	for _, layer := range layersOf(overlay) {
		names = append(names, v.candidates(overlay, layer)...)
	}
	return names
}

// optionOf returns the value of an option of an overlay; "" if it was mounted without.
func optionOf(overlay procfs.Mount, name string) string {
	for option := range strings.SplitSeq(overlay.Super, ",") {
		if value, ok := strings.CutPrefix(option, name+"="); ok {
			return procfs.Unescape(value)
		}
	}
	return ""
}

// sameFile reports whether an overlay's file and one of a layer are the same, going by what the overlay
// takes over from it. A file of the same name in another layer has other times; one that only has new
// metadata there has no blocks.
func sameFile(a, b unix.Statx_t) bool {
	return a.Mode == b.Mode && a.Size == b.Size && a.Blocks == b.Blocks && a.Mtime == b.Mtime && a.Ctime == b.Ctime
}

// hiddenLayer says that the layer with a file is not known. If one of the layers is in memory, the file
// may well be there, and so it may if it is not known where a layer is. Layers that are overlays themselves are not followed: their names may lead in a
// circle.
func (k *kernel) hiddenLayer(why string, overlay procfs.Mount) link {
	hidden := link{unseen: why, untraced: slices.ContainsFunc(layersOf(overlay), func(layer string) bool {
		return !filepath.IsAbs(layer) && !ofContainer(overlay) && !slices.ContainsFunc(k.views(), func(v view) bool { return len(v.candidates(overlay, layer)) > 0 })
	})}
	itself := func(m procfs.Mount) bool { return m.Major == overlay.Major && m.Minor == overlay.Minor }
	for _, v := range k.views() {
		for _, layer := range v.layers(overlay) {
			p, ok := v.lookUp(layer)
			if ok && itself(p.Mount) { // it was mounted on this layer
				p.Mount, ok = procfs.Holding(slices.DeleteFunc(slices.Clone(v.mounts), itself), layer)
			}
			hidden.untraced = hidden.untraced || ok && p.Type != "overlay" && slices.ContainsFunc(k.chainOfPlace(p, 0), func(l link) bool { return l.memory })
		}
	}
	return hidden
}

// layersOf lists the directories that an overlay was mounted with, the topmost first.
func layersOf(overlay procfs.Mount) (layers []string) {
	if upper := optionOf(overlay, "upperdir"); upper != "" {
		layers = append(layers, upper)
	}
	for option := range strings.SplitSeq(overlay.Super, ",") {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "lowerdir", "lowerdir+", "datadir+":
			layers = append(layers, splitLayers(procfs.Unescape(value))...)
		}
	}
	return layers
}

// splitLayers splits at colons, except those after a backslash; two colons precede a layer of data only.
func splitLayers(list string) (layers []string) {
	var layer strings.Builder
	for i := 0; i <= len(list); i++ {
		switch {
		case i == len(list) || list[i] == ':':
			if layer.Len() > 0 {
				layers = append(layers, layer.String())
			}
			layer.Reset()
		case list[i] == '\\' && i+1 < len(list):
			i++
			fallthrough
		default:
			layer.WriteByte(list[i])
		}
	}
	return layers
}
