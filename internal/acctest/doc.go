// Package acctest gives acceptance tests what they stand on: the provider in
// process, wired as the binary is, an emulated cloud of their own over real HTTP
// ([Cloud]), the configuration that points at it, and checks of what became of
// the machines there. [Main] cuts a test binary off from the settings of the
// person who runs it and finds the command; [NewInstallation] is for what only the
// real command with the built binary can show (signals, crashes, logs, files).
package acctest
