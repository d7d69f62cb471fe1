package volume

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// blkidNothing is blkid's exit code when it recognises nothing (blkid(8)).
const blkidNothing = 2

// guardSignature refuses the target if blkid recognises anything in an open file (the target itself,
// or a copy of its ends), or if blkid cannot tell.
func guardSignature(ctx context.Context, e *env.Env, t model.Target, f *os.File) error {
	blkid, err := findBlkid(e)
	if err != nil {
		return model.RefusedError(fmt.Sprintf("%s cannot be checked for signatures, because the program blkid is not installed: refused even with --destroy-data-on", t.Name),
			"install it: apt-get install util-linux")
	}
	// blkid reads the held descriptor, whatever the name refers to by now.
	cmd := e.Command(ctx, blkid, "-p", "-o", "export", "/proc/self/fd/3")
	cmd.ExtraFiles = []*os.File{f}
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit) && exit.ExitCode() == blkidNothing && len(bytes.TrimSpace(exit.Stderr)) == 0 && len(out) == 0:
		return guardSecondGPT(t, f)
	case errors.As(err, &exit) && exit.ExitCode() == 8: // BLKID_EXIT_AMBIVAL
		return signed(t, "carries several signatures at once")
	default:
		words := err.Error()
		if exit != nil && len(bytes.TrimSpace(exit.Stderr)) > 0 {
			words = lastLine(exit.Stderr)
		}
		return model.RefusedError(fmt.Sprintf("%s could not be checked for signatures (blkid: %s): refused even with --destroy-data-on", t.Name, sentence(words)),
			"see what is wrong: blkid -p "+safetext.ShellWord(f.Name()))
	}
	if what := readSignature(out); what != "" {
		return signed(t, what)
	}
	return guardSecondGPT(t, f)
}

// guardSecondGPT refuses a partition table of which only the backup at the end is left. blkid does
// not look for that once the protective MBR is gone too. The backup header is in the last logical
// block, of 512 bytes or 4 KiB (UEFI specification 2.10, 5.3.1).
func guardSecondGPT(t model.Target, f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return model.RefusedError(fmt.Sprintf("%s could not be checked for signatures (%s): refused even with --destroy-data-on", t.Name, env.Reason(err)), "")
	}
	for _, block := range []int64{512, 4096} {
		magic := make([]byte, 8)
		if size < block {
			continue
		}
		if _, err := f.ReadAt(magic, size-block); err != nil {
			return model.RefusedError(fmt.Sprintf("the end of %s could not be read (%s): refused even with --destroy-data-on", t.Name, env.Reason(err)), "")
		}
		if string(magic) == "EFI PART" {
			return signed(t, "carries a partition table (gpt), of which only the copy at the end is left")
		}
	}
	return nil
}

// findBlkid also looks outside PATH, as ordinary users often lack the sbin directories.
func findBlkid(e *env.Env) (string, error) {
	for _, name := range []string{"blkid", "/usr/sbin/blkid", "/sbin/blkid"} {
		if path, err := e.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// signed returns the refusal of a target that carries a signature.
func signed(t model.Target, what string) error {
	hint := "if its data may go, overwrite its first and last MiB, or make a new image"
	if t.Kind == model.BlockDevice || t.Kind == model.File {
		hint = "if its data may go: wipefs -a " + safetext.ShellWord(t.Path)
	}
	return model.RefusedError(fmt.Sprintf("%s %s: refused even with --destroy-data-on", t.Name, what), hint)
}

// readSignature describes what blkid's export format reports. It is empty if blkid only reports the
// device's place in a partition table.
func readSignature(out []byte) string {
	values := map[string]string{}
	other := ""
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), "=")
		if !ok || key == "DEVNAME" || strings.HasPrefix(key, "PART_ENTRY_") {
			continue
		}
		values[key] = value
		if other == "" {
			other = key
		}
	}
	kind, table := values["TYPE"], values["PTTYPE"]
	var what string
	switch {
	case kind == "swap" || kind == "swsuspend":
		what = "carries swap space (" + kind + ")"
	case values["USAGE"] == "raid", strings.HasSuffix(kind, "_member"):
		what = "is a member of a RAID, LVM or ZFS pool (" + kind + ")"
	case values["USAGE"] == "crypto":
		what = "is encrypted (" + kind + ")"
	case kind != "":
		what = fmt.Sprintf("carries %s %s filesystem", article(kind), kind)
	case table != "":
		what = fmt.Sprintf("carries a partition table (%s)", table)
	case other != "":
		what = fmt.Sprintf("carries a signature (%s=%s)", other, values[other])
	}
	if kind != "" && table != "" {
		what += fmt.Sprintf(" and a partition table (%s)", table)
	}
	return what
}

// article returns the article by pronunciation: "an ext4", "an xfs", "a btrfs", "a ufs".
func article(word string) string {
	if strings.ContainsRune("aeioxf", rune(word[0])) && !strings.HasPrefix(word, "fat") {
		return "an"
	}
	return "a"
}
