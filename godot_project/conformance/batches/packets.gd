extends "../support/round_trip.gd"
## Packets between two real UDP peers on this machine: what put_var() sends is read by VarBatch,
## and what VarBatch encodes is read by get_var().

const ADDRESS := "127.0.0.1"
const WAIT_MSEC := 2000
const MAX_PACKET_LEN := 8000

var _left := PacketPeerUDP.new()
var _right := PacketPeerUDP.new()


func finish() -> void:
	_left.close()
	_right.close()
	super()


func test_put_var_to_var_batch() -> void:
	if not _connect():
		return
	for value: Variant in _values():
		check_int(_left.put_var(value), OK, "put_var")
		if not _wait(_right):
			return
		var packet := _right.get_packet()
		check_bytes(packet, var_to_bytes(value), "packet of put_var")
		check_value(VarBatch.bytes_to_var(packet), bytes_to_var(packet), "value of put_var")


func test_var_batch_to_get_var() -> void:
	if not _connect():
		return
	for buffer: PackedByteArray in VarBatch.vars_to_bytes(_values()):
		check_int(_right.put_packet(buffer), OK, "put_packet")
		if not _wait(_left):
			return
		check_value(_left.get_var(), bytes_to_var(buffer), "get_var of our packet")


func test_full_objects() -> void:
	if not _connect():
		return
	for object: Variant in Values.Engines.storable_objects():
		check_int(_left.put_var(object, true), OK, "put_var of an object")
		if not _wait(_right):
			return
		var packet := _right.get_packet()
		check_value(VarBatch.bytes_to_var(packet, true), object, "object of put_var")
		check_int(_right.put_packet(VarBatch.var_to_bytes(object, true)), OK, "put_packet")
		if not _wait(_left):
			return
		check_value(_left.get_var(true), object, "object of our packet")


func _values() -> Array:
	return Values.mixed(200).filter(
		func(value: Variant) -> bool: return var_to_bytes(value).size() <= MAX_PACKET_LEN
	)


## Both peers on ports that the system chose, each sending to the other.
func _connect() -> bool:
	var bound := _left.bind(0, ADDRESS) == OK and _right.bind(0, ADDRESS) == OK
	var addressed := (
		bound
		and _left.set_dest_address(ADDRESS, _right.get_local_port()) == OK
		and _right.set_dest_address(ADDRESS, _left.get_local_port()) == OK
	)
	check(addressed, "two UDP peers on %s could not be opened" % ADDRESS)
	return addressed


func _wait(peer: PacketPeerUDP) -> bool:
	var deadline := Time.get_ticks_msec() + WAIT_MSEC * slowness
	while peer.get_available_packet_count() == 0 and Time.get_ticks_msec() < deadline:
		OS.delay_usec(100)
	var has_packet := peer.get_available_packet_count() > 0
	check(has_packet, "no packet within %d ms" % WAIT_MSEC)
	return has_packet
