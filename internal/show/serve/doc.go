// Package serve shows a folder of results in a browser: a list, one run, several
// side by side, a running one as it goes, and each as a bundle to take along.
//
// Its opinion: it only reads, and nothing outside of the
// folder: what can be opened is what a walk through the folder found, no request
// names a file, and symbolic links are not followed. On this machine anybody may
// look; elsewhere only who knows the token, which no address and no log contains.
// There is no database and no second analysis: a card in each directory makes the
// list, and the report page's own code draws the documents that the other verbs
// write.
package serve
