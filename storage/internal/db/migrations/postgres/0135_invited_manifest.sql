-- The manifest by which the records of a device are described that enrols with the code and sends none; empty if its owner gave none.
ALTER TABLE enrollment_codes ADD COLUMN manifest text NOT NULL DEFAULT '';
