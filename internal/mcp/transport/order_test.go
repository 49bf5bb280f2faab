package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// arrivals lets requests with these ids arrive at once, and returns the order in which they begin.
func arrivals(o *order, ids ...int64) (begun []int64) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() {
			t := o.arrive(context.Background(), json.RawMessage(fmt.Sprint(id)), true)
			t.wait(context.Background())
			mu.Lock()
			defer mu.Unlock()
			begun = append(begun, id)
			t.pass()
		})
	}
	all.Wait()
	return begun
}

func TestRequestsBeginInTheOrderOfTheirIds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := new(order)
		require.Equal(t, []int64{0}, arrivals(o, 0))
		ids, want := make([]int64, 1000), make([]int64, 1000)
		for i := range ids {
			ids[i], want[i] = int64(i+1), int64(i+1)
		}
		rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		began := time.Now()
		require.Equal(t, want, arrivals(o, ids...))
		require.Zero(t, time.Since(began))
	})
}

// A client that does not number its requests one by one waits twice, and never again.
func TestIdsThatAreNoNumbersAreNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := new(order)
		began := time.Now()
		for _, id := range []string{"1", "1000", "5000", "70000", `"a"`, "-5", "3", "900000"} {
			o.arrive(t.Context(), json.RawMessage(id), true).pass()
		}
		require.Equal(t, mostGaps*longestGap, time.Since(began))
		ended, end := context.WithCancel(t.Context())
		end()
		o = new(order)
		o.arrive(ended, json.RawMessage("1"), false)
		began = time.Now()
		o.arrive(ended, json.RawMessage("9"), false)
		require.Zero(t, time.Since(began), "its client is gone")
	})
}

// A thousand calls that take their time to begin, longer together than one may hold up the others,
// keep their order. Those that end before their turn, as their clients have left, change nothing.
func TestManySlowCallsKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := new(order)
		var all sync.WaitGroup
		var begun, want []int
		for n := range 1000 {
			ctx, leave := context.WithCancel(t.Context())
			turn, leaves := o.next(), n%3 == 1
			if !leaves {
				want = append(want, n)
			}
			all.Go(func() {
				defer leave()
				defer turn.pass()
				if leaves {
					leave()
				}
				turn.wait(ctx)
				if time.Sleep(longestBegin / 100); !leaves { // bubble's time
					begun = append(begun, n)
				}
			})
		}
		all.Wait()
		require.Equal(t, want, begun)
	})
}

// A call that hangs before it begins holds the others up for a while, and no longer.
func TestACallThatDoesNotBeginIsPassedBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := new(order)
		hangs, second, third := o.next(), o.next(), o.next()
		hangs.wait(t.Context())
		began := time.Now()
		second.wait(t.Context())
		require.Equal(t, longestBegin, time.Since(began))
		second.pass()
		third.wait(t.Context())
		require.Equal(t, longestBegin, time.Since(began))
		Begun(context.WithValue(t.Context(), turnKey{}, third))
		o.next().wait(t.Context())
		require.Equal(t, longestBegin, time.Since(began))
		Begun(t.Context()) // of a caller without an order
	})
}
