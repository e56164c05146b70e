"""From a problem to a fit: start, minimise, judge the minimum, refit with the errors it shows."""
