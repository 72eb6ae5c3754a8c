-- The connector ical of this project is called calendar_files: the public one of that key has other records. What a device delivers
-- as ical stays what it is.
UPDATE connections SET connector = 'calendar_files', roots = replace(roots, '{"ical":', '{"calendar_files":'), read_roots = replace(read_roots, '{"ical":', '{"calendar_files":')
WHERE connector = 'ical' AND id NOT IN (SELECT connection_id FROM source_instances);
UPDATE evidence SET connector = 'calendar_files' WHERE connector = 'ical' AND connection_id IN (SELECT id FROM connections WHERE connector = 'calendar_files');
