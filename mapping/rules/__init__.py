"""The rules of the mapper, one file per group of fields. Each rule is a pure function over a `Document`."""
