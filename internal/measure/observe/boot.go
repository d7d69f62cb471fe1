package observe

// Boot returns the kernel's boot ID: two containers that see the same ID run on the same machine,
// whatever host name they see. It is empty if there is no such ID.
func Boot() string { return text(root, "proc/sys/kernel/random/boot_id") }
