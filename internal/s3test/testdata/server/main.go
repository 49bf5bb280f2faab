// Command server is an S3 server for tests, in memory: server ADDRESS BUCKET KEY SECRET. It says
// where it listens. It refuses what is not signed with the key. It is a separate module: nothing
// else has to know what it is made of.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"
)

func main() {
	memory := s3mem.New()
	if err := memory.CreateBucket(context.Background(), os.Args[2]); err != nil {
		log.Fatal(err)
	}
	server := gofakes3.New(memory, gofakes3.WithV4Auth(map[string]string{os.Args[3]: os.Args[4]}))
	ln, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ln.Addr())
	log.Fatal(http.Serve(ln, server.Server()))
}
