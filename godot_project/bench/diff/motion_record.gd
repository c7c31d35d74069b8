extends RefCounted
## Snapshots of moving entities, made from a seed.

const ENTITIES := 1_000
## Snapshots per second.
const RATE := 60
const SNAPSHOTS := 120
const SEED := 20_268
## The percentage of moving entities that are hit, or begin to do something else.
const RARE := 2
const STATES: Array[StringName] = [&"idle", &"walking", &"running", &"attacking", &"fleeing"]


## The bytes of each snapshot. In each, this percentage of the entities move, different ones each
## time. As a Dictionary of packed arrays, or an Array of a Dictionary for each entity.
static func record(percent: int, as_objects: bool) -> Array[PackedByteArray]:
	var random := RandomNumberGenerator.new()
	random.seed = SEED
	var entities: Array[Dictionary] = []
	for id in ENTITIES:
		entities.append(_entity(id, random))
	var snapshots: Array[PackedByteArray] = []
	for _snapshot in SNAPSHOTS:
		for entity: Dictionary in entities:
			if random.randi_range(0, 99) < percent:
				_move(entity, random)
		snapshots.append(var_to_bytes(_objects(entities) if as_objects else _arrays(entities)))
	return snapshots


static func _entity(id: int, random: RandomNumberGenerator) -> Dictionary:
	return {
		"id": id,
		"position": Vector3(random.randf() * 1000, random.randf() * 20, random.randf() * 1000),
		"velocity": Vector3(random.randfn(), 0.0, random.randfn()) * 3.0,
		"rotation": random.randf_range(-PI, PI),
		"health": random.randi_range(50, 100),
		"state": STATES[random.randi() % STATES.size()],
	}


## Moves on for a sixtieth of a second, and turns a little.
static func _move(entity: Dictionary, random: RandomNumberGenerator) -> void:
	var turn := random.randf_range(-0.05, 0.05)
	entity.velocity = (entity.velocity as Vector3).rotated(Vector3.UP, turn)
	entity.position += entity.velocity / RATE
	entity.rotation = wrapf(entity.rotation + turn, -PI, PI)
	if random.randi_range(0, 99) < RARE:
		entity.health = maxi(entity.health - random.randi_range(1, 10), 0)
	if random.randi_range(0, 99) < RARE:
		entity.state = STATES[random.randi() % STATES.size()]


static func _arrays(entities: Array[Dictionary]) -> Dictionary:
	var positions := PackedVector3Array()
	var velocities := PackedVector3Array()
	var rotations := PackedFloat32Array()
	var health := PackedInt32Array()
	for entity: Dictionary in entities:
		positions.append(entity.position)
		velocities.append(entity.velocity)
		rotations.append(entity.rotation)
		health.append(entity.health)
	return {
		"positions": positions, "velocities": velocities, "rotations": rotations, "health": health
	}


static func _objects(entities: Array[Dictionary]) -> Array:
	var objects: Array = []
	for entity: Dictionary in entities:
		var object := entity.duplicate()
		object.erase("rotation")
		objects.append(object)
	return objects
