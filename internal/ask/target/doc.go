// Package target turns what the user typed into a model.Target: a directory, a
// file, a block device, an NBD or Ceph image, or a fake.
//
// Its opinion: a name that cannot be measured is refused here, before any I/O,
// with a sentence that says what it is, why that does not do, and what to type
// instead. Nothing here opens, writes or connects; whether the target answers
// and may be written is the business of package volume.
//
// The forms are:
//
//	/dir                                  a directory: Loadline makes a file of its own in it
//	/path/file                            a file; a missing one is made and removed
//	/dev/sdX                              a block device
//	nbd+unix:///export?socket=/path       an NBD export on a unix socket
//	nbd://host[:port]/export              an NBD export over TCP, port 10809 by default
//	rbd:pool/image                        a Ceph image; pool/namespace/image too
//	rbd:pool/image:id=USER                the same, as the Ceph user client.USER (QEMU's form)
//	sc:NAME                               a Kubernetes StorageClass: Loadline makes a claim of its own
//	                                      (?size=20Gi&mode=Block&access=RWX)
//	pvc:namespace/name                    a claim that exists
//	fake:?iops=1000&cv=0.05               a device of numbers, for demonstrations and tests:
//	                                      nothing is read or written, the truth is what was set
//
// A PostgreSQL server that exists (postgres://user@host/database) is no storage, and has a
// function of its own, ParseServer.
package target
