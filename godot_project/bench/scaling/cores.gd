extends RefCounted
## The thread counts that the scaling sections try, and the activity of VarBatch's threads
## meanwhile.

const REST_USEC := 2_000


## 1, 2, 4 and so on up to the cores of this machine, and always the cores themselves.
static func thread_counts() -> PackedInt32Array:
	VarBatch.set_thread_count(0)
	var cores := VarBatch.get_thread_count()
	var counts: PackedInt32Array = []
	var count := 1
	while count < cores:
		counts.append(count)
		count *= 2
	counts.append(cores)
	return counts


## The counts that were tried, and those that could not be.
static func explanation() -> String:
	var counts := thread_counts()
	var cores := counts[-1]
	if cores == 1:
		return "This machine has one core: nothing was measured of more than one thread."
	var text := "Measured with %s threads" % ", ".join(Array(counts).map(str))
	if cores == 2:
		return text + ": this machine has only two cores. What more would gain is not known."
	return text + ", on %d cores." % cores


## The activity of VarBatch's threads while [param call] ran: the average part of its time that they
## were on a core, and how often they got one (never, if they were not even woken). NAN if the
## system does not report it (it needs Linux).
static func watch(call: Callable) -> PackedFloat64Array:
	OS.delay_usec(REST_USEC)  # They sleep then, and their times are told for certain.
	var before := _helpers()
	var started := Time.get_ticks_usec()
	call.call()
	var usec := Time.get_ticks_usec() - started
	OS.delay_usec(REST_USEC)
	var after := _helpers()
	var helpers := maxi(VarBatch.get_thread_count() - 1, 1)
	return [(after[0] - before[0]) / 1000.0 / usec / helpers, after[1] - before[1]]


## The sums of all of VarBatch's threads: nanoseconds on a core, and how often they got one.
static func _helpers() -> PackedFloat64Array:
	var tasks := DirAccess.get_directories_at("/proc/self/task")
	var sum: PackedFloat64Array = [0.0, 0.0]
	if tasks.is_empty():
		return [NAN, NAN]
	for task: String in tasks:
		var folder := "/proc/self/task".path_join(task)
		var title := FileAccess.open(folder.path_join("comm"), FileAccess.READ)
		if title == null or not title.get_line().begins_with("varbatch"):
			continue
		var times := FileAccess.open(folder.path_join("schedstat"), FileAccess.READ)
		if times == null:
			return [NAN, NAN]
		var fields := times.get_line().split_floats(" ")
		sum[0] += fields[0]
		sum[1] += fields[2]
	return sum
