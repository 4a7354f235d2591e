package fault

import "maps"

// Fields collects sentences about the invalid fields of one request, by the names that
// the client used. A client learns of all invalid fields at once (GEN-08).
type Fields map[string][]string

// Field returns a fault of one field.
func Field(name, text string) *Error {
	return &Error{Kind: Invalid, Fields: Fields{name: {text}}}
}

// Add appends a sentence about the field. An empty sentence adds nothing, so that
// callers can pass the result of a check directly.
func (f *Fields) Add(name, text string) {
	if text == "" {
		return
	}
	if *f == nil {
		*f = Fields{}
	}
	(*f)[name] = append((*f)[name], text)
}

// Merge adds the sentences about fields that have none so far: only the first problem
// found with a field is reported.
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

// FieldsOf returns a copy of the fields of the error's fault, or nil. The caller may add
// to it.
func FieldsOf(err error) Fields {
	if f, is := As(err); is {
		return maps.Clone(f.Fields)
	}
	return nil
}

// OnField returns an Invalid fault without fields as a fault of the field, and any other
// error unchanged. The caller of a parser or a port knows the field's name.
func OnField(name string, err error) error {
	if f, is := As(err); is && f.Kind == Invalid && len(f.Fields) == 0 {
		return Field(name, f.Text)
	}
	return err
}

// Merge returns the error of a request with several problems, any of which may be nil.
// Faults of fields become one fault of all fields. An error that is not about fields
// outweighs one that is, and the first outweighs the others.
func Merge(problems ...error) (all error) {
	for _, p := range problems {
		all = merge(all, p)
	}
	return all
}

func merge(first, second error) error {
	wrong, more := FieldsOf(first), FieldsOf(second)
	switch {
	case second == nil || first != nil && len(wrong) == 0:
		return first
	case first == nil || len(more) == 0:
		return second
	}
	wrong.Merge(more)
	return wrong.Err()
}

// Err returns nil if no field has a sentence, else one fault with all of them.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Fields: f}
}
