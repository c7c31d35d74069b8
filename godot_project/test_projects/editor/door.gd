@tool
extends Node2D
## A node with exported variables.

@export var label := "door"
@export var keys: Array[String] = ["brass"]
@export var weight := 12.5
@export var texture: Texture2D
@export var target: Node
@export var tags: Array[String] = []
