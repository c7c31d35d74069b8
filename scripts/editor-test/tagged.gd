@tool
extends Node2D
## A node with a list of its own.

@export var tags: Array[String] = []
