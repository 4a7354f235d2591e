package payment

// Notification is a message of the wallet, as it came.
type Notification struct {
	// Header has the values of the message's headers by lower-case name. A header that came more
	// than once is absent: nothing decides which value counts.
	Header map[string]string
	Body   []byte
}

// Notice is what a genuine notification reports. Exactly one field is set.
type Notice struct {
	Receipt *Receipt // a payment
}

// Acknowledgement is the response to a notification.
type Acknowledgement struct {
	Status    int // 200 or 204, or 4xx or 5xx: send it again, if the protocol says so by the status
	Body      []byte
	MediaType string // empty without a body
}
