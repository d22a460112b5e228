package ecsemulator

import "slices"

const replaceSystemDiskParameters = `
string: Architecture Arn.N.RoleType Arn.N.Rolearn ClientToken DiskId EncryptAlgorithm ImageId InstanceId KMSKeyId
string: KeyPairName Password Platform SecurityEnhancementStrategy
integer: Arn.N.AssumeRoleFor SystemDisk.Size
boolean: Encrypted PasswordInherit UseAdditionalService
`

type replaceSystemDiskAnswer struct {
	DiskID string `json:"DiskId"`
}

// replaceSystemDisk gives a stopped instance a new system disk, made from an image. The old one is destroyed at once, and the new one
// is there at once: how long it takes is not documented. The key pair must be given again.
func replaceSystemDisk() *action {
	a := ecsAction("ReplaceSystemDisk", replaceSystemDiskParameters, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		if refusal != nil {
			return nil, refusal
		}
		if i.releasing || i.status(c.now) != statusStopped {
			return nil, incorrectStatus()
		}
		image, size, refusal := c.checkReplacement(i)
		if refusal != nil {
			return nil, refusal
		}
		old := i.disks[0]
		made := *old
		made.id = c.server.resourceID("d", i.regionID)
		made.serial = serialOf(made.id)[:20]
		made.imageID, made.sizeGiB, made.createdAt, made.attachedAt = image.ID, size, c.now, c.now
		made.encrypted, made.kmsKeyID = c.boolean("Encrypted", old.encrypted), orDefault(c.string("KMSKeyId"), old.kmsKeyID)
		i.image, i.keyPair = image, c.string("KeyPairName")
		i.disks = slices.Clone(i.disks)
		i.disks[0] = &made
		delete(c.account.disks, old.id)
		c.account.disks[made.id] = &made
		c.account.diskList = append(slices.DeleteFunc(c.account.diskList, func(d *disk) bool { return d == old }), &made)
		c.note(i, "modified", "SystemDisk")
		return replaceSystemDiskAnswer{made.id}, nil
	})
	a.anyRegion = true
	return a
}

func (c *call) checkReplacement(i *instance) (*Image, int, *APIError) {
	image := i.image
	if c.has("DiskId") {
		return nil, 0, refuse(404, "InvalidDiskId.NotFound", "The specified DiskId does not exist.")
	}
	if id := c.string("ImageId"); id != "" {
		images := c.server.options.Catalogue.images(i.regionID)
		n := slices.IndexFunc(images, func(image *Image) bool { return image.ID == id })
		if n < 0 {
			return nil, 0, refuse(404, "InvalidImageId.NotFound", "The specified ImageId does not exist.")
		}
		image = images[n]
	}
	arm := image.Architecture == "arm64"
	switch {
	case image.Status != "Available" && image.Status != "Deprecated":
		return nil, 0, refuse(403, "OperationDenied.ImageNotValid", "The specified image is not available.")
	case arm != (i.instanceType.Architecture == "ARM"):
		return nil, 0, refuse(403, "ImageNotSupportInstanceType", "The specified image does not support the instance type.")
	}
	if refusal := c.checkReplacementLogin(i, image); refusal != nil {
		return nil, 0, refusal
	}
	least, most := sizeRange(i.disks[0].category, i.disks[0].performanceLevel, true)
	size := c.integer("SystemDisk.Size", max(40, image.SizeGiB))
	switch {
	case size < image.SizeGiB:
		return nil, 0, refuse(404, "InvalidSystemDiskSize.LessThanImageSize", "The specified SystemDisk.Size is smaller than the image size.")
	case size < least:
		return nil, 0, refuse(404, "InvalidSystemDiskSize.LessThanMinSize", "The specified SystemDisk.Size is smaller than the minimum size.")
	case size > most:
		return nil, 0, refuse(404, "InvalidSystemDiskSize.MoreThanMaxSize", "The specified SystemDisk.Size is larger than the maximum size.")
	}
	return image, size, nil
}

// checkReplacementLogin allows one way to log in: a key pair, a password, or the image's own password.
func (c *call) checkReplacementLogin(i *instance, image *Image) *APIError {
	ways := 0
	for _, given := range []bool{c.has("KeyPairName"), c.has("Password"), c.boolean("PasswordInherit", false)} {
		if given {
			ways++
		}
	}
	if ways > 1 {
		return refuse(400, "InvalidParameter.Conflict", "KeyPairName, Password and PasswordInherit exclude each other.")
	}
	if c.has("Password") && !validPassword(c.string("Password"), image.OSType) {
		return refuse(400, "InvalidPassword.Malformed", "The specified Password is not valid.")
	}
	region, _ := c.server.options.Catalogue.region(i.regionID)
	if name := c.string("KeyPairName"); name != "" && !slices.ContainsFunc(region.KeyPairs, func(k KeyPair) bool { return k.Name == name }) {
		return refuse(400, "InvalidKeyPairName.NotFound", "The specified KeyPairName does not exist.")
	}
	return nil
}
