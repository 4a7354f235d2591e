package transport

import "plaza/domain/instant"

// Timestamp is a time on the wire (GEN-02).
type Timestamp = instant.Timestamp
