# Asks the server for all that it can do, and checks each answer with the engine's own `get_var`. Closes with one line:
# "N passed, N failed", and exits with status 1 if one failed.
#
#   godot --headless --script client.gd -- PORT
extends SceneTree

## How long an answer may take, in milliseconds.
const PATIENCE := 10_000

var peer := StreamPeerTCP.new()
var passed := 0
var failed := 0


func _initialize() -> void:
	var port := int(OS.get_cmdline_user_args()[0])
	peer.connect_to_host("127.0.0.1", port)
	if not await_peer(func() -> bool: return peer.get_status() == StreamPeerTCP.STATUS_CONNECTED):
		print("cannot connect to port %d" % port)
		quit(1)
		return
	for value: Variant in values():
		check(type_string(typeof(value)), {"op": "echo", "value": value}, {"ok": true, "result": value})
	check("a key as StringName", {&"op": &"echo", &"value": 1}, {"ok": true, "result": 1})
	check("join", {"op": "join", "name": "Ann"}, {"ok": true, "result": PackedStringArray(["Ann"])})
	check("join again", {"op": "join", "name": "Bo"}, {"ok": true, "result": PackedStringArray(["Ann", "Bo"])})
	# An object is its id, and comes back as that.
	peer.put_var({"op": "echo", "value": self})
	var object: Variant = receive()
	count("Object", object.result is EncodedObjectAsID and object.result.object_id == get_instance_id())
	var step := {"op": "move", "position": Vector3(1, 2, 3), "by": Vector3(0.5, 0, -1)}
	check("move", step, {"ok": true, "result": Vector3(1.5, 2, 2)})
	check("no name", {"op": "join"}, {"ok": false, "error": "expected \"name\" in the request"})
	check("a wrong type", {"op": "join", "name": 1}, {"ok": false, "error": "expected String, found int"})
	check("no Dictionary", 1, {"ok": false, "error": "expected \"op\" in the request"})
	peer.disconnect_from_host()
	print("%d passed, %d failed" % [passed, failed])
	quit(1 if failed else 0)


## A value of each type that can be sent, and containers of them.
func values() -> Array:
	var typed: Array[Vector2] = [Vector2(1, 2)]
	var counts: Dictionary[StringName, int] = {&"b": 1, &"a": 2}
	var deep: Variant = "the end"
	for level in 100:
		deep = [deep] if level % 2 else {level: deep}
	return [
		null, true, 0, -1, 1 << 40, 0.5, PI, INF, "", "text äß€😀", Vector2(1.5, -2), Vector2i(1, -2),
		Rect2(1, 2, 3, 4), Rect2i(1, 2, 3, 4), Vector3(1, 2, 3), Vector3i(1, 2, 3), Transform2D(0.5, Vector2(1, 2)),
		Vector4(1, 2, 3, 4), Vector4i(1, 2, 3, 4), Plane(Vector3.UP, 2), Quaternion(Vector3.UP, 1), AABB(Vector3.ONE, Vector3.ONE),
		Basis(Vector3.UP, 1), Transform3D(Basis(Vector3.UP, 1), Vector3.ONE), Projection.create_perspective(60, 1, 0.1, 10),
		Color.CORAL, &"name", ^"/root/a:b:c", ^"a/b", RID(), Callable(), Signal(), {}, {"b": 1, "a": [2, {"c": 3}]}, [],
		[1, "two", 3.0, null], typed, counts, deep, PackedByteArray([1, 2, 3]), PackedInt32Array([-1, 2]),
		PackedInt64Array([1 << 40]), PackedFloat32Array([0.5]), PackedFloat64Array([PI]), PackedStringArray(["a", "", "ä"]),
		PackedVector2Array([Vector2(1, 2)]), PackedVector3Array([Vector3(1, 2, 3), Vector3.ONE]), PackedColorArray([Color.CORAL]),
		PackedVector4Array([Vector4(1, 2, 3, 4)]), "long ".repeat(20_000),
	]


## Sends a value and compares the answer, byte by byte: `==` takes 1 for 1.0.
func check(what: String, request: Variant, expected: Dictionary) -> void:
	peer.put_var(request)
	var answer: Variant = receive()
	if not count(what, var_to_bytes(answer) == var_to_bytes(expected)):
		print("  expected %s, found %s" % [str(expected).left(200), str(answer).left(200)])


## The next answer, null if none comes.
func receive() -> Variant:
	return peer.get_var() if await_peer(func() -> bool: return peer.get_available_bytes() >= 4) else null


func count(what: String, is_good: bool) -> bool:
	if is_good:
		passed += 1
	else:
		failed += 1
		print("FAIL %s" % what)
	return is_good


## Polls until `is_ready`, or the connection ends, or patience does.
func await_peer(is_ready: Callable) -> bool:
	var start := Time.get_ticks_msec()
	while Time.get_ticks_msec() - start < PATIENCE:
		peer.poll()
		if is_ready.call():
			return true
		if peer.get_status() not in [StreamPeerTCP.STATUS_CONNECTING, StreamPeerTCP.STATUS_CONNECTED]:
			return false
		OS.delay_msec(1)
	return false
