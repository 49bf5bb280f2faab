package store_test

import (
	"testing"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

func TestQuestionsKeepTheContract(t *testing.T) {
	inquirytest.Run(t, func(t *testing.T) inquiry.Store {
		return open(t, t.TempDir(),
			nil).Questions
	})
}
