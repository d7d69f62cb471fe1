// Package serve shows a folder of results in a browser: the list, one run, several runs side by
// side, a running one live, and each as a bundle to download.
//
// Its assumptions: it only reads, and never outside the folder. Only directories found by walking the
// folder can be opened, no request names a file, and symbolic links are not followed. On this
// machine anyone may look; from elsewhere a token is required, which appears in no address and no
// log. There is no database and no second analysis: the list is built from a card in each
// directory, and the report page's own code draws the documents that the other verbs write.
package serve
