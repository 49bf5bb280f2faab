-- What a question is answered through is a channel, and a reply in whose place a model is asked is deferred.
UPDATE questions SET body = json_set(json_remove(body, '$.doors'), '$.channels',
  (SELECT json_group_array(json_set(json_remove(value, '$.door'), '$.channel', json_extract(value, '$.door')))
    FROM json_each(body, '$.doors')))
  WHERE json_type(body, '$.doors') = 'array';
UPDATE questions SET body = json_set(json_remove(body, '$.pass_on'), '$.fallback', json_extract(body, '$.pass_on'))
  WHERE json_type(body, '$.pass_on') = 'object';
UPDATE questions SET body = json_set(json_remove(body, '$.passed'), '$.deferred', json_extract(body, '$.passed'))
  WHERE json_type(body, '$.passed') = 'object';

ALTER TABLE audit RENAME COLUMN door TO channel;
-- The audit is append-only, except for the name of an event that was renamed.
DROP TRIGGER audit_keep_updated;
UPDATE audit SET event = 'deferred' WHERE event = 'passed_on';
CREATE TRIGGER audit_keep_updated BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
