-- The change sequence when the record was handed on last. An enumeration that is open now may
-- miss what was handed on beside it, so that it sweeps nothing.
ALTER TABLE delivered_keys ADD COLUMN seq bigint NOT NULL DEFAULT 0;
UPDATE enumerations SET open = 0 WHERE stream_id IN (SELECT stream_id FROM delivered_keys);
