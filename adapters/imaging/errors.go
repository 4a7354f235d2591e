package imaging

import "errors"

// errUnsupported is the error of a header that is not that of a picture. Clients read a sentence of
// package media instead.
var errUnsupported = errors.New("unsupported picture format")

// errCutOff is the error of a file of boxes that is not whole.
var errCutOff = errors.New("the picture is cut off")
