-- A scrape of the metrics counts the waiting deliveries, and finds the oldest of each destination, without reading their rows.
CREATE INDEX deliveries_waiting ON deliveries (destination_id, created_at) WHERE state = 'waiting';
