// Package target parses what the user typed into a model.Target: a directory, a file, a block device,
// an NBD or Ceph image, or a fake.
//
// Its assumptions: a name that cannot be measured is refused here, before any I/O, with a sentence that
// says what it is, why it cannot be used, and what to type instead. Nothing here opens, writes or
// connects; whether the target responds and may be written is checked by package volume.
//
// The forms are:
//
//	/dir                                  a directory: Loadline creates its own file in it
//	/path/file                            a file; a missing one is created and removed
//	/dev/sdX                              a block device
//	nbd+unix:///export?socket=/path       an NBD export on a unix socket
//	nbd://host[:port]/export              an NBD export over TCP, port 10809 by default
//	rbd:pool/image                        a Ceph image; pool/namespace/image too
//	rbd:pool/image:id=USER                the same, as the Ceph user client.USER (QEMU's form)
//	sc:NAME                               a Kubernetes StorageClass: Loadline creates its own claim
//	                                      (?size=20Gi&mode=Block&access=RWX)
//	pvc:namespace/name                    an existing claim
//	fake:?iops=1000&cv=0.05               a simulated device, for demonstrations and tests: nothing
//	                                      is read or written, the results follow the parameters
//
// An existing PostgreSQL server (postgres://user@host/database) is not storage, and has its own
// function, ParseServer.
package target
