package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
)

// restoredName is the file that a folder has from its restore until pauseRestored is done.
const restoredName = "restored"

// pauseRestored has nothing of a restored store go on by itself: its runs may have gone on, its
// schedules' times may have come, leave may have ended, and answers may have been forgotten, after
// the backup was made. The first who opens the folder does this, before anything else.
func pauseRestored(ctx context.Context, d *db) error {
	path := filepath.Join(d.dir, restoredName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := lockFolder(ctx, d.dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process has done it
	}
	if err == nil {
		err = d.update(ctx, func(ctx context.Context, tx *tx) error {
			by := AuditEntry{By: "taploop restore"}
			_, err := tx.end(ctx, by, func(guard.Grant) bool {
				return true // it may have been revoked
			})
			_, kept := tx.forget(ctx, where{sql: "true"}, by) // they may have been forgotten
			return errors.Join(err, kept, pauseAll(ctx, tx), passTicks(ctx, tx, info.ModTime()))
		})
	}
	if err == nil {
		err = os.Remove(path)
	}
	return doing(err, "pausing what was restored")
}

// pauseAll pauses the runs that would go on without a person. Open questions stay open.
func pauseAll(ctx context.Context, t *tx) error {
	list, err := collect(ctx, t, scanRow[Run], "SELECT "+runColumns+` FROM runs r
		WHERE state IN ('QUEUED', 'RUNNING', 'WAITING_REPLY', 'WAITING_APPROVAL',
			'WAITING_TAKEOVER') OR state = 'PAUSED' AND stop_reason IN (?, ?, ?)`,
		agentloop.ServerRestarted, agentloop.DeviceDisconnected, agentloop.ClientDetached)
	for i := range list {
		if err == nil {
			err = finishSteps(ctx, t, &list[i], false)
		}
		if err == nil {
			err = change(ctx, t, &list[i], Change{To: Paused, Reason: agentloop.Restored})
		}
	}
	return err
}

// passTicks notes until when the schedules' times may have come before the restore.
func passTicks(ctx context.Context, t *tx, until time.Time) error {
	err := t.exec(ctx, "UPDATE ticks SET state = ? WHERE state = ?", TickRestored, TickClaimed)
	if err == nil {
		err = t.exec(ctx, `INSERT INTO ticks (`+tickColumns+`) SELECT name, ?, ?, '', '', ''
			FROM schedules WHERE true ON CONFLICT DO NOTHING`, millis(until), TickRestored)
	}
	return err
}
