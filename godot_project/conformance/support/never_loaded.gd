extends Resource
## Named in bytes only. Nothing loads it.
