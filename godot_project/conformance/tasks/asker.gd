extends RefCounted
## An object that asks a task how it ended, when it is freed.

static var task: VarBatchTask
## What the task said, each time.
static var answers: Array = []


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE and task:
		answers.append([task.is_finished(), task.get_error(), typeof(task.get_result())])
