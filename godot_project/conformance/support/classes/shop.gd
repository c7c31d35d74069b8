extends RefCounted
## Dictionaries with scripts for their values, which engines before 4.7.3 do not read.

const Item := preload("item.gd")
const Sword := preload("sword.gd")

@export var by_name: Dictionary[StringName, Item] = {}
@export var by_place: Dictionary[Vector2i, Sword] = {}
@export var bags: Dictionary[Item, Sword] = {}
