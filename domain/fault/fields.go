package fault

import "maps"

// Fields collects what is wrong with the fields of one request, under the names
// that the client used. A client learns of all its mistakes at once (GEN-08).
type Fields map[string][]string

// Field returns a fault that concerns one field.
func Field(name, text string) *Error {
	return &Error{Kind: Invalid, Fields: Fields{name: {text}}}
}

// Add notes a sentence about the field. An empty sentence notes nothing, so that
// the answer of a check can be passed on as it is.
func (f *Fields) Add(name, text string) {
	if text == "" {
		return
	}
	if *f == nil {
		*f = Fields{}
	}
	(*f)[name] = append((*f)[name], text)
}

// Merge takes over the sentences about fields that had none so far: the first
// thing found wrong with a field is the one to tell.
func (f *Fields) Merge(more Fields) {
	for name, texts := range more {
		if len((*f)[name]) > 0 {
			continue
		}
		for _, text := range texts {
			f.Add(name, text)
		}
	}
}

// FieldsOf are the fields that the error, if there is one, finds wrong; the caller may
// add to them.
func FieldsOf(err error) Fields {
	if f, is := As(err); is {
		return maps.Clone(f.Fields)
	}
	return nil
}

// Err is nil when nothing was noted, else one fault with all of it.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Fields: f}
}
