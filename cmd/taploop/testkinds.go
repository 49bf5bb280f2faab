//go:build testkinds

package main

import _ "github.com/taploop/taploop/internal/inquiry/inquirytest/vote" // registers the kind
