package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	storagev1 "k8s.io/api/storage/v1"
)

// Driver is what a CSIDriver object says of a CSI driver.
type Driver struct {
	Labels, Annotations map[string]string
	// Attach tells that volumes are attached to nodes, FSGroup who gives them to a
	// pod's group ("File", "ReadWriteOnceWithFSType", "None").
	Attach  bool
	FSGroup string
}

// Driver reads the CSIDriver object of that name. Errors may be ErrMissing or
// ErrForbidden.
func (c *Client) Driver(ctx context.Context, name string) (Driver, error) {
	d, err := know(c.known, "driver "+name, func() (d storagev1.CSIDriver, err error) {
		err = c.get(ctx, c.storage, "", "csidrivers", name, &d)
		return d, err
	})
	if err != nil {
		return Driver{}, told(err)
	}
	found := Driver{Labels: d.Labels, Annotations: d.Annotations, Attach: d.Spec.AttachRequired == nil || *d.Spec.AttachRequired}
	if d.Spec.FSGroupPolicy != nil {
		found.FSGroup = string(*d.Spec.FSGroupPolicy)
	}
	return found, nil
}

// Custom names the objects of a custom resource, in all namespaces.
type Custom struct {
	Group, Version, Resource string
	// Name and Label ("key=value") select; empty selects all.
	Name, Label string
}

// Find decodes the list of the objects, with its "items", into into. Errors may be
// ErrMissing (the cluster does not know the kind) or ErrForbidden.
func (c *Client) Find(ctx context.Context, which Custom, into any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	req := c.core.Get().AbsPath("/apis", which.Group, which.Version, which.Resource)
	if which.Name != "" {
		req.Param("fieldSelector", "metadata.name="+which.Name)
	}
	if which.Label != "" {
		req.Param("labelSelector", which.Label)
	}
	body, err := req.DoRaw(ctx)
	if err != nil {
		return told(c.explain("list", which.Resource+"."+which.Group, "", err))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("the cluster's %s.%s are not what they should be: %w", which.Resource, which.Group, err)
	}
	return nil
}

// What Driver and Find meet where their answer is not to be had.
var (
	ErrMissing   = errors.New("there is no such object")
	ErrForbidden = errors.New("a right is missing")
)

// told lets errors.Is tell why an answer is not to be had.
func told(err error) error {
	switch {
	case missing(err):
		return errors.Join(ErrMissing, err)
	case forbidden(err):
		return errors.Join(ErrForbidden, err)
	}
	return err
}
