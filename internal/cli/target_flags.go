package cli

// createFlag is the help of --create.
const createFlag = "TARGET does not exist: make it as a new file, and remove it at the end"
