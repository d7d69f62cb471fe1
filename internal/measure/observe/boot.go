package observe

// Boot names the running kernel since it came up: two containers that see the same name
// share one machine, whatever they call it. Empty where there is no such name.
func Boot() string { return text(root, "proc/sys/kernel/random/boot_id") }
