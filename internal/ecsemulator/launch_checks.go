package ecsemulator

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
)

// maxUserData is the documented bound of user data before encoding, in bytes.
const maxUserData = 32 << 10

func (l *launch) checkImage() *APIError {
	id, family := l.string("ImageId"), l.string("ImageFamily")
	switch {
	case id != "" && family != "":
		return refuse(400, "UnexpectedImageFamily.ImageIdSupplied", "The specified ImageFamily cannot be used together with ImageId.")
	case id == "" && family == "":
		return missingParameter("ImageId")
	}
	for _, image := range l.server.options.Catalogue.images(l.region.ID) {
		if id != "" && image.ID == id || family != "" && image.Family == family && image.Status == "Available" {
			l.image = image
			break
		}
	}
	switch {
	case l.image == nil && family != "":
		return refuse(403, "InvalidImageFamily.MissingAvailableImage", "The specified ImageFamily has no available image.")
	case l.image == nil:
		return refuse(404, "InvalidImageId.NotFound", "The specified ImageId does not exist.")
	case l.image.Status != "Available" && l.image.Status != "Deprecated":
		return refuse(403, "OperationDenied.ImageNotValid", "The specified image is not available.")
	}
	return nil
}

func (l *launch) checkInstanceType() *APIError {
	id := l.string("InstanceType")
	if id == "" {
		return missingParameter("InstanceType")
	}
	known, found := l.server.options.Catalogue.instanceType(id)
	if !found {
		return refuse(400, "InvalidInstanceType.ValueNotSupported", "The specified InstanceType is not supported.")
	}
	l.instanceType = known
	arm := l.image.Architecture == "arm64"
	if arm != (known.Architecture == "ARM") {
		return refuse(403, "ImageNotSupportInstanceType", "The specified image does not support the specified instance type.")
	}
	credit := l.string("CreditSpecification")
	switch {
	case credit == "":
	case credit != "Standard" && credit != "Unlimited", known.BaselineCredit == 0:
		return refuse(400, "InvalidParameter.CreditSpecification", "The specified CreditSpecification is not supported.")
	}
	return nil
}

func (l *launch) checkNames() *APIError {
	if name := l.string("InstanceName"); name != "" && !validName(name) {
		return refuse(400, "InvalidInstanceName.Malformed", "The specified InstanceName is not valid.")
	}
	if text := l.string("Description"); text != "" && !validDescription(text) {
		return refuse(400, "InvalidDescription.Malformed", "The specified Description is not valid.")
	}
	names := l.list("HostNames")
	switch {
	case len(names) > 0 && l.has("HostName"):
		return refuse(400, "InvalidParameter.Combination", "HostName and HostNames cannot be used together.")
	case len(names) > l.amount:
		return invalidParameter("HostNames")
	}
	for _, name := range append(names, l.string("HostName")) {
		if name != "" && !validHostName(name, l.image.OSType) {
			return refuse(400, "InvalidHostName.Malformed", "The specified HostName is not valid.")
		}
	}
	return nil
}

// validName checks 2 to 128 characters that begin with a letter and not with http:// or https://.
func validName(name string) bool {
	runes := []rune(name)
	return len(runes) >= 2 && len(runes) <= 128 && unicode.IsLetter(runes[0]) && !startsWithScheme(name)
}

func validDescription(text string) bool {
	length := len([]rune(text))
	return length >= 2 && length <= 256 && !startsWithScheme(text)
}

func startsWithScheme(text string) bool {
	lower := strings.ToLower(text)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// validHostName checks 2 to 64 characters of letters, digits, dots and hyphens for Linux, 2 to 15 without dots and not only digits for
// Windows; dots and hyphens neither first, nor last, nor side by side.
func validHostName(name, osType string) bool {
	plain := strings.ReplaceAll(numbered(name, 0), "${instance_id}", "i-bp1000000000000000000")
	most, allowed := 64, "-."
	if osType == "windows" {
		most, allowed = 15, "-"
		if strings.Trim(plain, "0123456789") == "" {
			return false
		}
	}
	if len(plain) < 2 || len(plain) > most {
		return false
	}
	previousMark := true
	for _, r := range plain {
		mark := strings.ContainsRune(allowed, r)
		letter := r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if !mark && !letter || mark && previousMark {
			return false
		}
		previousMark = mark
	}
	return !previousMark
}

func (l *launch) checkLogin() *APIError {
	if password := l.string("Password"); password != "" {
		if l.boolean("PasswordInherit", false) {
			return refuse(400, "InvalidPasswordParam.Mismatch", "Password must be empty when PasswordInherit is true.")
		}
		if !validPassword(password, l.image.OSType) {
			return refuse(400, "InvalidPassword.Malformed", "The specified Password is not valid.")
		}
	}
	if name := l.string("KeyPairName"); name != "" {
		if !slices.ContainsFunc(l.region.KeyPairs, func(k KeyPair) bool { return k.Name == name }) {
			return refuse(404, "InvalidKeyPairName.NotFound", "The specified KeyPairName does not exist.")
		}
	}
	if role := l.string("RamRoleName"); role != "" {
		if refusal := l.checkInstanceRole(role); refusal != nil {
			return refusal
		}
	}
	return nil
}

// validPassword checks 8 to 30 characters of three of four classes, on Windows without a leading slash.
func validPassword(password, osType string) bool {
	if len(password) < 8 || len(password) > 30 || osType == "windows" && strings.HasPrefix(password, "/") {
		return false
	}
	classes := map[string]bool{}
	for _, r := range password {
		switch {
		case r >= 'a' && r <= 'z':
			classes["lower"] = true
		case r >= 'A' && r <= 'Z':
			classes["upper"] = true
		case r >= '0' && r <= '9':
			classes["digit"] = true
		case strings.ContainsRune("()`~!@#$%^&*-_+=|{}[]:;'<>,.?/", r):
			classes["mark"] = true
		default:
			return false
		}
	}
	return len(classes) >= 3
}

func (l *launch) checkUserData() *APIError {
	if !l.has("UserData") {
		return nil
	}
	if !l.image.CloudInit {
		return refuse(400, "ImageNotSupportCloudInit", "The specified image does not support cloud-init.")
	}
	return checkUserData(l.string("UserData"))
}

func checkUserData(encoded string) *APIError {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return refuse(400, "InvalidUserData.Base64FormatInvalid", "The specified UserData is not Base64 encoded.")
	}
	if len(raw) > maxUserData {
		return refuse(400, "InvalidUserData.SizeExceeded", "The specified UserData exceeds 32 KB before encoding.")
	}
	return nil
}

func (l *launch) checkTags() *APIError {
	tags, refusal := l.newTags()
	l.tags = tags
	return refusal
}

func (l *launch) checkAutoRelease() *APIError {
	if l.boolean("DeletionProtection", false) && l.mode != ChargePostPaid {
		return refuse(403, "InvalidChargeType.ValueNotSupported", "Deletion protection is only supported for pay-as-you-go instances.")
	}
	var refusal *APIError
	if l.autoRelease, refusal = l.autoReleaseTime(); refusal != nil || l.autoRelease.IsZero() {
		return refusal
	}
	if l.mode == ChargePrePaid {
		return chargeTypeViolation()
	}
	return nil
}

func (l *launch) checkMetadata() *APIError { return l.checkMetadataOptions() }

func oneOf(value string, allowed ...string) bool { return slices.Contains(allowed, value) }
