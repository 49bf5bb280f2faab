-- How many steps of a run asked the model again, because the screen had moved on; kept by the triggers.
ALTER TABLE usage ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER again_of_new_step AFTER INSERT ON steps WHEN NEW.timing -> '$.again' IS NOT NULL
BEGIN UPDATE usage SET again = again + 1 WHERE run_id = NEW.run_id; END;
CREATE TRIGGER again_of_step AFTER UPDATE OF timing ON steps
  WHEN (NEW.timing -> '$.again' IS NULL) <> (OLD.timing -> '$.again' IS NULL)
BEGIN UPDATE usage SET again = again + (NEW.timing -> '$.again' IS NOT NULL) - (OLD.timing -> '$.again' IS NOT NULL)
  WHERE run_id = NEW.run_id; END;
