-- As `erased` where nothing was ever erased by an operation.
{{1}}.erased
