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


func test_values() -> void:
	var is_short := func(value: Variant) -> bool:
		return var_to_bytes(value).size() <= MAX_PACKET_LEN
	_check_packets(Values.mixed(200).filter(is_short), false)


func test_full_objects() -> void:
	_check_packets(Values.Engines.storable_objects(), true)


func _check_packets(values: Array, objects: bool) -> void:
	if not _connect():
		return
	var buffers := VarBatch.vars_to_bytes(values, objects)
	for i: int in values.size():
		check_int(_left.put_var(values[i], objects), OK, "put_var")
		if not _wait(_right):
			return
		var packet := _right.get_packet()
		var expected: Variant = quietly(packet.decode_var.bind(0, objects))
		if not objects:
			check_bytes(packet, buffers[i], "packet of put_var")
		check_value(VarBatch.bytes_to_var(packet, objects), expected, "value of put_var")
		check_int(_right.put_packet(buffers[i]), OK, "put_packet")
		if not _wait(_left):
			return
		check_value(_left.get_var(objects), expected, "get_var of our packet")


## Both peers on ports that the system chose, each sending to the other.
func _connect() -> bool:
	var is_open := _left.bind(0, ADDRESS) == OK and _right.bind(0, ADDRESS) == OK
	is_open = is_open and _left.set_dest_address(ADDRESS, _right.get_local_port()) == OK
	is_open = is_open and _right.set_dest_address(ADDRESS, _left.get_local_port()) == OK
	check(is_open, "two UDP peers on %s could not be opened" % ADDRESS)
	return is_open


func _wait(peer: PacketPeerUDP) -> bool:
	var deadline := Time.get_ticks_msec() + WAIT_MSEC * slowness
	while peer.get_available_packet_count() == 0 and Time.get_ticks_msec() < deadline:
		OS.delay_usec(100)
	var has_packet := peer.get_available_packet_count() > 0
	check(has_packet, "no packet within %d ms" % WAIT_MSEC)
	return has_packet
