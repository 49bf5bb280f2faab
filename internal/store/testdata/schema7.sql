INSERT INTO sessions (id, serial, device, steps, created_at, updated_at) VALUES ('abc', 'emu-1', '{}', 2, 1, 2);
INSERT INTO runs (id, session_id, seq, task, state, course, fence, created_at, updated_at, ended_at)
  VALUES ('r1', 'abc', 1, 'tap', 'COMPLETED', '{}', 2, 1, 2, 2), ('r2', 'abc', 2, 'tap on', 'PAUSED', '{}', 1, 3, 3, 0);
INSERT INTO steps (session_id, idx, run_id, local, fence, state, decision, tries, phone, timing, frame, frame_w, frame_h,
    calls, prompt_tokens, completion_tokens, model_ns, phone_ns, started_at, done_at)
  VALUES ('abc', 1, 'r1', 1, 2, 'DONE', '{"action":null}', '[]', '{}', '{"settle":1,"look":2,"decide":3,"ask":4,"act":5}',
      'abc.1.2', 27, 60, 1, 10, 4, 3, 8, 1, 2),
    ('abc', 2, 'r1', 2, 2, 'DONE', '{"action":null}', '[]', '{}', '{"settle":10,"look":20,"decide":30,"act":50}',
      'abc.2.2', 27, 60, 2, 20, 8, 30, 80, 1, 2);
PRAGMA user_version = 7;
