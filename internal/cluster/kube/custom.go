package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	storagev1 "k8s.io/api/storage/v1"
)

// Driver is the content of a CSI driver's CSIDriver object.
type Driver struct {
	Labels, Annotations map[string]string
	// Attach is set if volumes are attached to nodes; FSGroup is the policy for changing a volume's
	// group to the pod's ("File", "ReadWriteOnceWithFSType", "None").
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
		return Driver{}, classified(err)
	}
	found := Driver{Labels: d.Labels, Annotations: d.Annotations, Attach: d.Spec.AttachRequired == nil || *d.Spec.AttachRequired}
	if d.Spec.FSGroupPolicy != nil {
		found.FSGroup = string(*d.Spec.FSGroupPolicy)
	}
	return found, nil
}

// Custom selects objects of a custom resource in all namespaces.
type Custom struct {
	Group, Version, Resource string
	// Name and Label ("key=value") select; empty selects all.
	Name, Label string
}

// Find decodes the list of the objects, with its "items", into into. Errors may be ErrMissing (the
// cluster does not know the resource) or ErrForbidden.
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
		return classified(c.explain("list", which.Resource+"."+which.Group, "", err))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("the cluster's %s.%s are not what they should be: %w", which.Resource, which.Group, err)
	}
	return nil
}

// The reasons why Driver and Find cannot return a result.
var (
	ErrMissing   = errors.New("there is no such object")
	ErrForbidden = errors.New("a right is missing")
)

// classified wraps an error so that errors.Is recognises the reason.
func classified(err error) error {
	switch {
	case missing(err):
		return errors.Join(ErrMissing, err)
	case forbidden(err):
		return errors.Join(ErrForbidden, err)
	}
	return err
}
