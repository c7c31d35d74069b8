extends RefCounted
## The base of the runs of all tabs: work in steps, one per frame. Knows nothing about how it is
## shown.

## The current step, as text for people.
var status := "Waiting for the other tab"
## The error, or "".
var problem := ""
var is_begun := false
var is_finished := false


## Call this before the first step. A finished run may begin again.
func begin() -> void:
	is_begun = true
	is_finished = false
	problem = ""


## Does the next step, at the start of a frame; returns true if more remain.
func advance() -> bool:
	return false


## Returns how much of the run is done, from 0 to 1.
func progress() -> float:
	return 0.0


## Cleans up, whatever was in progress.
func tidy() -> void:
	pass
