extends RefCounted
## Typed containers of scripts and of classes, with values of any type behind them.

const Item := preload("item.gd")
const Sword := preload("sword.gd")

@export var items: Array[Item] = []
@export var swords: Array[Sword] = []
@export var pairs: Dictionary[Item, Item] = {}
@export var resources: Array[Resource] = []
@export var by_number: Dictionary[int, Resource] = {}
@export var rows: Array[Dictionary] = []
@export_storage var content: Variant
