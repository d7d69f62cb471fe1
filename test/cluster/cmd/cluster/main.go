// Command cluster starts and ends the test cluster by hand:
//
//	cluster up [IMAGE.tar …]    build what is missing, and start
//	cluster down                end it; only the programs remain
//	cluster leftovers           clean up after one all of whose servers were killed
//	cluster missing             print why this machine cannot run one, if so
//	cluster speed IOPS          change the speed of every node's disk
//	cluster shared NODE         make a StorageClass whose volumes all nodes share, on the disk of that node
//	cluster load IMAGE.tar      load an image on every node
//	cluster build               build what is missing, and print the folder
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/loadline/loadline/test/cluster"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	o := cluster.Defaults()
	if len(args) == 0 {
		args = []string{""}
	}
	switch verb := args[0]; {
	case verb == "up":
		o.Images, o.Helper, o.Longhorn = args[1:], "loadline:e2e", cluster.MissingLonghorn() == ""
		c := cluster.At(o)
		if why := cluster.Missing(); why != "" {
			return fmt.Errorf("this machine cannot carry the cluster: %s", why)
		}
		if err := c.Start("."); err != nil {
			return err
		}
		fmt.Printf("export KUBECONFIG=%s\n", c.Kubeconfig())
		return nil
	case verb == "down":
		return cluster.At(o).End()
	case verb == "leftovers":
		found, err := cluster.At(o).Leftovers()
		if found && err == nil {
			fmt.Println("cleaned up after a killed cluster")
		}
		return err
	case verb == "speed" && len(args) == 2:
		iops, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil || iops < 1 {
			return fmt.Errorf("%q is not a number of I/Os per second", args[1])
		}
		return cluster.At(o).SetIOPS(iops)
	case verb == "shared" && len(args) == 2:
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 1 || n > o.Nodes {
			return fmt.Errorf("%q is no node's number", args[1])
		}
		if why := cluster.MissingShared(); why != "" {
			return errors.New(why)
		}
		class, err := cluster.At(o).StartShared(n)
		if err == nil {
			fmt.Println(class)
		}
		return err
	case verb == "load" && len(args) == 2:
		return cluster.At(o).Load(args[1])
	case verb == "build":
		c := cluster.At(o)
		if err := c.Build("."); err != nil {
			return err
		}
		fmt.Println(filepath.Dir(c.Program("kubectl")))
		return nil
	case verb == "missing":
		fmt.Println(cluster.Missing())
		return nil
	case verb == "inside" && len(args) > 1:
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		images := args[2:]
		if o.Longhorn = slices.Contains(images[:min(1, len(images))], cluster.LonghornFlag); o.Longhorn {
			images = images[1:]
		}
		return cluster.At(o).Inside(n, images)
	}
	return fmt.Errorf("usage: cluster up [IMAGE.tar …] | down | leftovers | speed IOPS | shared NODE | load IMAGE.tar | missing | build")
}
