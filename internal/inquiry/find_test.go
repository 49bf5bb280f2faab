package inquiry_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

func TestTheBeginningOfAnIDFindsItsQuestionAmongThoseThatAreSeen(t *testing.T) {
	store := new(inquirytest.Memory)
	b := inquiry.NewBroker(store, nil)
	for id, status := range map[string]inquiry.Status{"aaaa0000bb1": inquiry.Pending,
		"aaaa0000bb2": inquiry.Pending, "aaaa1": inquiry.Pending, "cccc1": inquiry.Pending} {
		require.NoError(t, store.Insert(t.Context(), inquiry.Question{ID: id, Status: status,
			Text: id, ExpiresAt: time.Now().Add(time.Hour)}))
	}
	find := func(id string, sees func(inquiry.Question) (bool, error)) (string, error) {
		q, err := b.Find(t.Context(), id, sees)
		return q.ID, err
	}
	only := func(ids ...string) func(inquiry.Question) (bool, error) {
		return func(q inquiry.Question) (bool, error) {
			for _, id := range ids {
				if q.ID == id {
					return true, nil
				}
			}
			return false, nil
		}
	}
	for _, id := range []string{"cccc1", "cccc", " CcCc\n"} {
		got, err := find(id, nil)
		require.NoError(t, err, "%q", id)
		require.Equal(t, "cccc1", got)
	}
	got, err := find("aaaa", only("aaaa1"))
	require.NoError(t, err, "what is not seen does not make it ambiguous")
	require.Equal(t, "aaaa1", got)

	_, err = find("aaaa", nil)
	several, is := errors.AsType[*inquiry.AmbiguousError](err)
	require.True(t, is, "%v", err)
	require.ElementsMatch(t, []string{"aaaa0000bb1", "aaaa0000bb2", "aaaa1"}, several.IDs)
	_, err = find("aaaa", only("aaaa0000bb1", "aaaa1"))
	require.ErrorContains(t, err, `2 questions begin with "aaaa": `)
	require.NotContains(t, err.Error(), "aaaa0000bb2", "an id that is not seen is not told")

	for _, id := range []string{"", " ", "zz", "%", "_", "*", "cccc12", "\U0010FFFF"} {
		_, err = find(id, nil)
		require.ErrorIs(t, err, inquiry.ErrNotFound, "%q", id)
	}
	_, err = find("cccc1", only())
	require.ErrorIs(t, err, inquiry.ErrNotFound)
	broken := errors.New("the store is locked")
	_, err = find("cccc", func(inquiry.Question) (bool, error) { return true, broken })
	require.ErrorIs(t, err, broken)

	_, err = b.Resolve(t.Context(), "aaaa0000bb1", reply("x"))
	require.NoError(t, err)
	got, err = find("aaaa0000", nil)
	require.NoError(t, err, "the open one goes before the settled one")
	require.Equal(t, "aaaa0000bb2", got)
	got, err = find("aaaa0000bb1", nil)
	require.NoError(t, err)
	require.Equal(t, "aaaa0000bb1", got)
}
