extends RefCounted
## What the runs of both tabs have in common: work that is done a step a frame. Knows nothing of how
## it is shown.

## What is being done, for people.
var status := "Waiting for the other tab"
## What went wrong, or "".
var problem := ""
var is_begun := false
var is_finished := false


## To be called before the first step; what has finished may begin again.
func begin() -> void:
	is_begun = true
	is_finished = false
	problem = ""


## Does the next step, at the start of a frame; returns whether there are more.
func advance() -> bool:
	return false


## How much of the run is done, from 0 to 1.
func progress() -> float:
	return 0.0


## Leaves nothing behind, whatever was under way.
func tidy() -> void:
	pass
