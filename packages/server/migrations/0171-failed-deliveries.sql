-- Counts of failed deliveries read no delivered ones, of which a destination has many.
CREATE INDEX deliveries_failed ON deliveries (destination_id) WHERE state = 'failed';
