"""Force laws: pure functions of overlap, overlap rate, slip and named parameters, and the parameter models composed of them."""
